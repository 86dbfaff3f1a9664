import { demoPictures } from '#generated/demo-pictures.ts'

/** Reads the encoded picture of a demo product or of a sample query. @throws Error for an unknown name. */
export async function readDemoPicture(name: string): Promise<Uint8Array> {
  const path = Object.hasOwn(demoPictures, name) ? demoPictures[name] : undefined
  if (path === undefined) throw new Error(`There is no demo picture ${name}`)
  return Bun.file(path).bytes()
}
