import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { FOR_CALLER, failures, JSON_BODY, NO_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { PortalDoor } from '../../../http/portal-door.ts'
import type { FirstOwnerService } from './first-owner.ts'
import { SetupAnswer, SetupBody, SetupState, SlugParams, SlugState } from './schema.ts'

const WRONG_CODE = ['unauthorized', 'The code was used, is older than 30 minutes, or is wrong.'] as const
const TOO_MANY_CODES = [
  'rate_limit_exceeded',
  'Ten wrong codes came from this network address within 15 minutes.',
] as const

/** Contract 5.18: the set-up in a browser, until there is a super-admin. */
export function setupRoutes(
  { forAnyone }: Pick<Guards, 'forAnyone'>,
  firstOwner: FirstOwnerService,
  door: PortalDoor,
) {
  return new Elysia({ name: 'opening.setup.routes', prefix: '/setup', tags: ['Authentication'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
    })
    .get('/state', () => firstOwner.describe(), {
      response: { 200: SetupState, ...failures(...READING) },
      detail: {
        responses: NO_BODY,
        operationId: 'getSetupState',
        summary: 'Read whether this installation has an owner',
        description: 'Needs no credential. Until there is an owner, `POST /setup` makes one.',
      },
    })
    .post(
      '',
      async ({ request, body, clientInfo, set, status }) => {
        const { answer, cookie } = await firstOwner.run(body, clientInfo)
        Object.assign(set.headers, door.giveCookie(request, cookie))
        return status(201, answer)
      },
      {
        parse: spendingFirst(
          (request) => door.demandNoForeignPage(request),
          jsonBody(LIMITS.openBodyBytesMax),
        ),
        body: SetupBody,
        response: {
          201: SetupAnswer,
          ...failures(
            ...WRITING,
            ...JSON_BODY,
            WRONG_CODE,
            TOO_MANY_CODES,
            ['origin_not_allowed', 'The request comes from a page of another origin.'],
            [
              'conflict',
              'There is an owner already, the e-mail address has an account, or the slug is taken (`details.slug`).',
            ],
          ),
        },
        detail: {
          operationId: 'setUp',
          summary: 'Make the owner of this installation and a first store',
          description:
            'Takes the one-time code of the link that `lookalike serve` prints on a terminal, or that `lookalike setup-link` prints. The answer is that of `lookalike setup --json` and of a sign-in, with the cookie of `POST /portal/session`.',
        },
      },
    )
}

/** Contract 5.18: whether a store can get a slug. */
export const slugRoutes = (
  { forPersonOrSetup }: Pick<Guards, 'forPersonOrSetup'>,
  describeSlug: (slug: string) => SlugState,
) =>
  new Elysia({ name: 'opening.slug.routes', prefix: '/v1/slugs', tags: ['Store'] })
    .use(forPersonOrSetup)
    .get('/:slug', ({ params }) => describeSlug(params.slug), {
      personOrSetup: true,
      params: SlugParams,
      response: {
        200: SlugState,
        ...failures(...FOR_CALLER, ...READING, 'permission_denied', 'validation_error', WRONG_CODE),
      },
      detail: {
        operationId: 'getSlug',
        summary: 'Read whether a slug is free for a new store',
        description: 'For a signed-in person, or for the holder of a set-up code.',
        parameters: [
          {
            name: 'X-Setup-Code',
            in: 'header',
            required: false,
            description: 'The code of the set-up link, in place of a sign-in.',
            schema: { type: 'string' },
          },
        ],
      },
    })
