import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

/** Packs texts into a `.tgz` below one folder. The same texts and date give the same bytes. */
export async function packTar(
  folder: string,
  files: Readonly<Record<string, string>>,
  date: Date,
): Promise<Uint8Array> {
  const tar = pack()
  for (const [name, text] of Object.entries(files))
    tar.entry({ name: `${folder}/${name}`, mtime: date, mode: 0o644 }, text)
  tar.finalize()
  const pieces: Uint8Array[] = []
  for await (const piece of tar) pieces.push(piece as Uint8Array)
  return gzipSync(Buffer.concat(pieces), { level: 9 })
}
