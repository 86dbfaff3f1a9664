/** The path under which kept pictures are served, relative to the base URL. */
export const KEPT_PREFIX = '/pictures/'
