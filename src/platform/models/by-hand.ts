import { decimalSize, groupThousands } from '../../core/text.ts'
import { addressOf, type FileHash, type HubSource } from './hub.ts'

/** What is known of a file before anything was asked. */
export interface HandFile {
  path: string
  /** Undefined where only the server knows it. */
  bytes: number | undefined
  hash: FileHash | undefined
}

/** A model to be brought without this machine's network. */
export interface HandOrder {
  name: string
  source: HubSource
  files: readonly HandFile[]
}

/** Says which files a person saves from where into which folder, and which command takes the folder. */
export function tellByHand({ name, source, files }: HandOrder): string {
  const sizes = files.map(({ bytes }) => bytes)
  const total = sizes.every((bytes) => bytes !== undefined)
    ? ` (${decimalSize(sizes.reduce((sum: number, bytes) => sum + (bytes ?? 0), 0))})`
    : ''
  return [
    `Save these ${files.length} files${total} on a machine with a network, in a folder ${name} with a folder onnx in it:`,
    ...files.flatMap(({ path, bytes, hash }) => [
      '',
      `  ${name}/${path}`,
      `    from    ${addressOf(source, path)}`,
      ...(bytes === undefined ? [] : [`    bytes   ${groupThousands(bytes)}`]),
      ...(hash ? [`    ${hash.algorithm.padEnd(7)} ${hash.hex}`] : []),
    ]),
    '',
    `Bring the folder here, on a USB stick for example, and run: lookalike model add /path/to/${name}`,
  ].join('\n')
}
