/** One problem of a request; `pointer` is a JSON pointer (RFC 6901). */
export interface Problem {
  in: 'body' | 'query' | 'path' | 'header'
  pointer: string
  code: string
  message: string
  expected?: string
  received?: string
}
