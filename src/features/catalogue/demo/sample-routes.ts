import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { documentedFailures, failures, NO_BODY } from '../../../http/failures.ts'
import { answerWebp, WEBP_CONTENT } from '../../../http/webp-answer.ts'
import type { SampleService } from './samples.ts'
import { Samples } from './schema.ts'

/** Pictures to search with before anybody has one at hand. They come with the program, so everybody may read them. */
export function sampleRoutes(samples: SampleService) {
  return new Elysia({ name: 'samples.routes', prefix: '/samples', tags: ['Products'] })
    .get('', () => samples.list(), {
      response: { 200: Samples, ...failures() },
      detail: {
        responses: NO_BODY,
        operationId: 'listSamples',
        summary: 'List pictures to try a search with',
        description:
          'Drawn for this service, of things that the demo catalogue has. `url` lies below the address of the service.',
      },
    })
    .get(
      '/:file',
      async ({ params, set }) => {
        const bytes = await samples.find(params.file)
        if (!bytes) throw notFound('picture')
        return answerWebp(set, bytes, 'public, max-age=31536000, immutable')
      },
      {
        detail: {
          operationId: 'getSample',
          summary: 'Read a picture to try a search with',
          description: 'May be cached for ever: the name is a hash of the content.',
          responses: {
            200: { description: 'The picture.', content: WEBP_CONTENT },
            ...documentedFailures(failures(['not_found', 'No sample has this name.'])),
          },
        },
      },
    )
}
