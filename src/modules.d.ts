/** SQL files are imported as text: `import sql from './0001_stores.sql' with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}

/** Style sheets are imported as text or as a path, both of which are strings. */
declare module '*.css' {
  const text: string
  export default text
}

/** Binary files are imported as a path that `node:fs` and `Bun.file` can read: `with { type: 'file' }`. */
declare module '*.wasm' {
  const path: string
  export default path
}
declare module '*.bin' {
  const path: string
  export default path
}
declare module '*.webp' {
  const path: string
  export default path
}
declare module '*.png' {
  const path: string
  export default path
}
declare module '*.jpg' {
  const path: string
  export default path
}
declare module '*.woff2' {
  const path: string
  export default path
}
/** Scripts that are served, not run: `with { type: 'file' }`. */
declare module '*/shop/shop.js' {
  const path: string
  export default path
}
declare module '*/shop/stub.js' {
  const path: string
  export default path
}
declare module '*/shop/thanks.js' {
  const path: string
  export default path
}
declare module '#generated/widget/loader.js' {
  const path: string
  export default path
}
declare module '#generated/widget/main.js' {
  const path: string
  export default path
}
declare module '*.gz' {
  const path: string
  export default path
}
declare module '*.br' {
  const path: string
  export default path
}

declare module '#generated/scan-thread.js' {
  const path: string
  export default path
}
declare module '#generated/notices.txt.gz' {
  const path: string
  export default path
}
