/** Does what `fetch` does for a request with a body, and tells how much of it has left: `fetch` cannot. */
export function fetchWithProgress(
  address: string,
  { method = 'POST', headers, body, signal }: RequestInit,
  onProgress: (share: number) => void,
): Promise<Response> {
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.open(method, address)
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.upload.onload = () => onProgress(1)
    request.onload = () =>
      resolve(new Response(request.responseText, { status: request.status, headers: readHeaders(request) }))
    request.onerror = () => reject(new TypeError('The request got no answer'))
    request.onabort = () => reject(new DOMException('The request was cancelled', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    request.send(body as XMLHttpRequestBodyInit)
  })
}

function readHeaders(request: XMLHttpRequest): Headers {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(': ')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 2))
  }
  return headers
}
