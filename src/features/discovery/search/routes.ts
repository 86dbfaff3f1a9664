import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { formBody, jsonBody } from '../../../http/body.ts'
import type { Doors } from '../../../http/doors.ts'
import {
  FOR_STORE,
  FORM_BODY,
  failures,
  JSON_BODY,
  PICTURE,
  PICTURE_URL,
  WRITING,
} from '../../../http/failures.ts'
import { SearchResponse, TextSearch, UploadSearch, UrlSearch } from './schema.ts'
import type { SearchService } from './service.ts'

/** Contract 3.1: search by an uploaded picture, by the URL of a picture and by text. */
export function searchRoutes({ forStore }: Pick<Doors, 'forStore'>, search: SearchService) {
  return new Elysia({ name: 'search.routes', prefix: '/v1/search', tags: ['Search'] })
    .use(forStore)
    .post('', ({ actor, body }) => search.byUpload(actor.storeId, body), {
      can: 'search:execute',
      parse: formBody(UploadSearch, 'search'),
      body: UploadSearch,
      response: {
        200: SearchResponse,
        ...failures(...FOR_STORE, ...WRITING, ...FORM_BODY, ...PICTURE),
      },
      detail: { operationId: 'searchByUpload', summary: 'Find products similar to an uploaded picture' },
    })
    .post('/url', ({ actor, body }) => search.byUrl(actor.storeId, body), {
      can: 'search:execute',
      parse: jsonBody(LIMITS.pictureJsonBytesMax, 'search'),
      body: UrlSearch,
      response: {
        200: SearchResponse,
        ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...PICTURE_URL, [
          'not_found',
          'The named product or picture does not exist.',
        ]),
      },
      detail: {
        operationId: 'searchByUrl',
        summary: 'Find products similar to the picture at a URL, or to another product',
      },
    })
    .post('/text', ({ actor, body }) => search.byText(actor.storeId, body), {
      can: 'search:execute',
      parse: jsonBody(),
      body: TextSearch,
      response: {
        200: SearchResponse,
        ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, 'model_not_ready'),
      },
      detail: { operationId: 'searchByText', summary: 'Find products by text' },
    })
}
