import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import {
  documentedFailures,
  FOR_CALLER,
  FOR_STORE,
  failures,
  JSON_BODY,
  WRITING,
} from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { NDJSON, ndjsonFileHeaders } from '../../../http/ndjson-streams.ts'
import { REAUTHENTICATING } from '../reauthentication/schema.ts'
import type { createDeletion } from './deletion.ts'
import type { createPeopleExports } from './exports.ts'
import type { createLeaving } from './leaving.ts'
import { Deleted, Deletion, Left, StoreParams } from './schema.ts'

export interface OwnDataServices {
  leaving: ReturnType<typeof createLeaving>
  deletion: ReturnType<typeof createDeletion>
  exports: ReturnType<typeof createPeopleExports>
  clock: Pick<Clock, 'now'>
}

const OWN_ACCOUNT = [...FOR_CALLER, 'permission_denied'] as const

const LAST_OWNER = 'You are the only owner of a store; `details.stores` names it.'

/** Contract 5.10 to 5.12: leaving a store, deleting an account, and what is kept about a person. */
export function ownDataRoutes(
  { forCaller }: Pick<Guards, 'forCaller'>,
  { leaving, deletion, exports, clock }: OwnDataServices,
) {
  return new Elysia({ name: 'own-data.routes', prefix: '/v1/me', tags: ['Account'] })
    .use(forCaller)
    .delete('', ({ caller, body }) => deletion.delete(caller, body), {
      person: true,
      parse: jsonBody(),
      body: Deletion,
      response: {
        200: Deleted,
        ...failures(...OWN_ACCOUNT, ...WRITING, ...JSON_BODY, ...REAUTHENTICATING, [
          'conflict',
          `${LAST_OWNER} Or you are the only super-admin. \`details.reason\` says which.`,
        ]),
      },
      detail: {
        operationId: 'deleteMe',
        summary: 'Delete your account, with your password and your e-mail address typed again',
        description:
          'Ends all your sign-ins. Stores and their catalogues stay. API keys that you made stay, too, and can do nothing any more. The audit log keeps your user id, without name and address.',
      },
    })
    .delete('/memberships/:store', ({ caller, params }) => leaving.leave(caller, params.store), {
      person: true,
      parse: noBody,
      params: StoreParams,
      response: {
        200: Left,
        ...failures(
          ...OWN_ACCOUNT,
          ...WRITING,
          'validation_error',
          ['not_found', 'You are no member of such a store.'],
          ['conflict', LAST_OWNER],
        ),
      },
      detail: {
        operationId: 'leaveStore',
        summary: 'Leave a store, by its id or slug',
        description:
          'Ends your membership and your groups in the store. The only owner of a store cannot leave it.',
      },
    })
    .get(
      '/export',
      ({ caller, set }) => {
        const stream = exports.openOwn(caller)
        Object.assign(set.headers, ndjsonFileHeaders(`my-data-${isoTime(clock.now()).slice(0, 10)}`))
        return new Response(stream)
      },
      {
        person: true,
        detail: {
          operationId: 'exportMe',
          summary: 'Export what the service holds about you, as NDJSON',
          description:
            'One JSON object a line; `type` says what it is. The last line has the type `end`: without it, the file is not whole.',
          responses: {
            200: { description: 'What the service holds about you.', content: NDJSON },
            ...documentedFailures(failures(...OWN_ACCOUNT, ...WRITING)),
          },
        },
      },
    )
}

/** Contract 5.12: what a store holds about people. */
export function peopleDataRoutes(
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  { exports, clock }: Pick<OwnDataServices, 'exports' | 'clock'>,
) {
  return new Elysia({ name: 'people-data.routes', tags: ['Account'] }).use(forStoreSecurity).get(
    '/v1/store/people-data',
    ({ actor, set }) => {
      const stream = exports.openStore(actor)
      const name = `${actor.store.slug}-people-${isoTime(clock.now()).slice(0, 10)}`
      Object.assign(set.headers, ndjsonFileHeaders(name))
      return new Response(stream)
    },
    {
      can: 'people:export',
      detail: {
        operationId: 'exportPeopleData',
        summary: 'Export all that the store holds about people, as NDJSON',
        description:
          'For owners. One JSON object a line; `type` says what it is: members, API keys without their values, entries of the IP list, audit events, and the searches and feedback of shoppers with a session. The last line has the type `end`: without it, the file is not whole.',
        responses: {
          200: { description: 'What the store holds about people.', content: NDJSON },
          ...documentedFailures(failures(...FOR_STORE, ...WRITING)),
        },
      },
    },
  )
}
