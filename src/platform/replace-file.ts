import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** Writes a file as a whole: whoever reads it finds the old text or the new one, also after a crash. */
export const replaceFile = (path: string, text: string, mode: number): void =>
  replaceBy(path, mode, (temporary) => {
    const file = openSync(temporary, 'wx', mode)
    try {
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  })

/** Copies a file over another one, which a program may be running from. */
export const replaceByCopy = (path: string, source: string, mode: number): void =>
  replaceBy(path, mode, (temporary) => copyFileSync(source, temporary))

function replaceBy(path: string, mode: number, write: (temporary: string) => void): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.new`
  rmSync(temporary, { force: true })
  try {
    write(temporary)
    // The mode of a new file depends on the umask.
    chmodSync(temporary, mode)
    const file = openSync(temporary, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}
