import type { WidgetFile } from './assets.ts'

/** Best first. */
const ENCODINGS = ['br', 'gzip'] as const

/** Reads which encodings a client refuses or prefers (RFC 9110 §12.5.3), and picks the smallest that it takes. */
export function chooseEncoding(accepted: string): keyof WidgetFile {
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(',', 20)
      .map((entry) => {
        const [name = '', weight] = entry.split(';')
        const value = /^\s*q=([\d.]+)\s*$/.exec(weight ?? '')?.[1]
        return [name.trim(), value === undefined ? 1 : Number(value)] as const
      }),
  )
  return ENCODINGS.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? 'identity'
}
