import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import type { AuthPlugin } from '../../../http/auth.ts'
import { formBody, jsonBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors } from '../../../http/schema.ts'
import { SearchResponse, TextSearch, UploadSearch, UrlSearch } from './schema.ts'
import type { SearchService } from './service.ts'

const response = { 200: SearchResponse, ...signedInErrors, ...bodyErrors }

/** Searches by upload, by address and by words. */
export function searchRoutes(auth: AuthPlugin, search: SearchService) {
  return new Elysia({ name: 'search.routes', prefix: '/v1/search', tags: ['Search'] })
    .use(auth)
    .post('', ({ actor, body }) => search.byUpload(actor.storeId, body), {
      can: 'search:execute',
      parse: formBody(UploadSearch),
      body: UploadSearch,
      response,
      detail: { operationId: 'searchByUpload', summary: 'Find products like an uploaded picture' },
    })
    .post('/url', ({ actor, body }) => search.byUrl(actor.storeId, body), {
      can: 'search:execute',
      parse: jsonBody(LIMITS.pictureJsonBytesMax),
      body: UrlSearch,
      response: { ...response, 404: failure('`not_found`: the product or image that was named') },
      detail: {
        operationId: 'searchByUrl',
        summary: 'Find products like the picture at an address, or like another product',
      },
    })
    .post('/text', ({ actor, body }) => search.byText(actor.storeId, body), {
      can: 'search:execute',
      parse: jsonBody(),
      body: TextSearch,
      response,
      detail: { operationId: 'searchByText', summary: 'Find products by words' },
    })
}
