import { join } from 'node:path'
import { ROOT } from './options.ts'
import type { Credentials } from './seed.ts'

/** Calls of the API. Each throws unless the answer is a success. */
export interface Client {
  /** The access token. */
  token: string
  /** Any call with a body of JSON. */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  searchText(query: string): Promise<unknown>
  searchPicture(bytes: Uint8Array): Promise<unknown>
  /** A search by picture with the fields of `POST /v1/search/url`. */
  searchLike(fields: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Any search. @param name the end of its path, such as `hybrid`. */
  search(name: string, fields: Readonly<Record<string, unknown>>): Promise<unknown>
  /** A search by a picture in base64. */
  searchBase64(bytes: Uint8Array): Promise<unknown>
  index(productId: string, bytes: Uint8Array): Promise<unknown>
  /** A page of products. @param query as in a URL. */
  list(query: string): Promise<unknown>
}

/** A server in a process of its own. */
export interface Served extends AsyncDisposable {
  address: string
  pid: number
}

export interface MeasuredService extends Served {
  signIn(credentials: Credentials): Promise<Client>
}

/** Starts a program that prints `listening on <address>`. */
export async function startServing(
  command: string[],
  settings: Readonly<Record<string, string>>,
  log?: Bun.BunFile,
): Promise<Served> {
  const child = Bun.spawn(command, {
    env: { ...process.env, ...settings },
    stdout: 'pipe',
    stderr: log ?? 'inherit',
  })
  // A bench that is interrupted leaves no service behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    address: await readAddress(child.stdout),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      process.off('exit', kill)
    },
  }
}

/**
 * Starts the service on a data folder and waits until its model is ready.
 *
 * @param executable undefined for the sources.
 * @param log takes the log; by default errors appear where the benchmark runs.
 */
export async function startMeasuredService(
  folder: string,
  executable: string | undefined,
  settings: Readonly<Record<string, string>> = {},
  log?: Bun.BunFile,
): Promise<MeasuredService> {
  const service = await startListening(folder, executable, settings, log)
  while (!(await fetch(`${service.address}/health/ready`)).ok) await Bun.sleep(10)
  return service
}

/** The same, but waits only until the service listens. */
export async function startListening(
  folder: string,
  executable: string | undefined,
  settings: Readonly<Record<string, string>> = {},
  log?: Bun.BunFile,
): Promise<MeasuredService> {
  const entry = executable ? [executable] : [process.execPath, join(ROOT, 'src/main.ts')]
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error', ...settings }
  const served = await startServing([...entry, 'serve'], env, log)
  return { ...served, signIn: (credentials) => signIn(served.address, credentials) }
}

async function readAddress(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk)
    const address = /^listening on (\S+)$/m.exec(text)?.[1]
    if (address) return address
  }
  throw new Error('The service ended before it listened on an address')
}

/** Gets an access token of the store. */
export async function readToken(address: string, { client_id, client_secret }: Credentials): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const granted = await fetch(`${address}/oauth/token`, { method: 'POST', body })
  return ((await granted.json()) as { access_token: string }).access_token
}

async function signIn(address: string, credentials: Credentials): Promise<Client> {
  const access_token = await readToken(address, credentials)
  const call = async (method: string, path: string, init: RequestInit) => {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${access_token}` }
    const response = await fetch(address + path, { ...init, method, headers })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const post = (path: string, init: RequestInit) => call('POST', path, init)
  const multipart = (fields: Record<string, string>, bytes: Uint8Array) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('image', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'photo.jpg')
    return { body: form }
  }
  const json = { 'content-type': 'application/json' }
  const search = (name: string, fields: Readonly<Record<string, unknown>>) =>
    post(`/v1/search/${name}`, { body: JSON.stringify(fields), headers: json })
  const searchLike = (fields: Readonly<Record<string, unknown>>) => search('url', fields)
  return {
    token: access_token,
    call: async (method, path, body) =>
      (await call(
        method,
        path,
        body === undefined ? {} : { body: JSON.stringify(body), headers: json },
      )) as Record<string, unknown>,
    searchText: (query) => post('/v1/search/text', { body: JSON.stringify({ query }), headers: json }),
    search,
    searchLike,
    searchBase64: (bytes) => searchLike({ image: Buffer.from(bytes).toString('base64') }),
    searchPicture: (bytes) => post('/v1/search', multipart({}, bytes)),
    list: (query) => call('GET', `/v1/products?${query}`, {}),
    index: (productId, bytes) =>
      post('/v1/products', multipart({ product_id: productId, metadata: '{"name":"Photo"}' }, bytes)),
  }
}
