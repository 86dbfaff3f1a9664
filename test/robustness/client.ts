/** An answer with its JSON, or with an empty object if it has none. */
export interface JsonAnswer {
  status: number
  body: Record<string, unknown>
  text: string
}

export type Client = (
  method: string,
  path: string,
  body?: FormData | URLSearchParams | object,
  headers?: Record<string, string>,
) => Promise<JsonAnswer>

/** Creates a client that sends requests with one credential, or none. A plain object becomes a JSON body. */
export const createClient =
  (address: string, token?: string): Client =>
  async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || body instanceof FormData || body instanceof URLSearchParams
    const answer = await fetch(address + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(!isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, text, body: isJson ? JSON.parse(text) : {} }
  }

/** The form of a search by upload. */
export function pictureForm(picture: File, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  form.set('image', picture)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
