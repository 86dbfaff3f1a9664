import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import type { ModelsStatus } from '../../features/catalogue/model-moves/schema.ts'
import type { AdminModel, AdminModels } from '../../features/operation/models/schema.ts'
import { bundledModelName } from '../../platform/native/model-folder.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { withInstall } from '../service/with-install.ts'

/** Settings of the commands that read and write the folder of the models. */
export const SHELF_SETTINGS = ['DATA_DIR'] as const

/** Settings of the commands that are clients of the service, or start one of their own. */
export const MOVE_SETTINGS = [
  ...(['DATA_DIR', 'MODEL_DIR', 'HOST', 'PORT', 'BASE_URL', 'JWT_SECRET'] as const),
  ...(['FETCH_ALLOW_CIDRS', 'OFFLINE', 'INFERENCE_THREADS'] as const),
] as const

export const dataDirOf = (config: Config): string => resolve(config.DATA_DIR)

/** Reads from the database which model is in use, and how a move stands; whether a service runs or not. */
export const readModelState = (config: Config): Promise<ModelsStatus> =>
  withInstall(config, ({ readModels }) => readModels(bundledModelName))

/** Reads the models from the service. */
export const askModels = async (client: ServiceClient): Promise<AdminModels> =>
  (await (await client.send('GET', '/v1/admin/models')).json()) as AdminModels

/** @throws OperatorError for a model that must be fetched or added first. */
export function demandHere(name: string, { models }: Pick<AdminModels, 'models'>): void {
  const found = models.find((model) => model.name === name)
  if (found?.state === 'known') {
    throw new OperatorError(`${name} is not here yet. Fetch it first: lookalike model fetch ${name}`)
  }
  if (found) return
  const here = models.filter(({ state }) => state !== 'known').map((model) => model.name)
  throw wrongInput(`There is no model ${JSON.stringify(name)} here: there are ${here.join(', ')}.`)
}

/** Sends an order about models. */
export async function sendOrder<Answer>(
  client: ServiceClient,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const type = 'application/json'
  const response = await client.send(method, `/v1/admin/models/${path}`, {
    ...(body && { headers: { 'content-type': type }, body: new Blob([JSON.stringify(body)], { type }) }),
  })
  return (await response.json()) as Answer
}

const WORDS = {
  in_use: 'in use',
  here: 'here',
  known: 'to fetch',
  broken: 'broken',
} as const

/** Names the state of a model for people. */
export const stateInWords = ({ state }: Pick<AdminModel, 'state'>): string => WORDS[state]
