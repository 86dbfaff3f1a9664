import { readFileSync } from 'node:fs'
import { BadSignature, readReleaseKey } from '../../src/commands/upgrade/minisign.ts'
import { TargetError } from './targets.ts'

/** Reads the line of a public key file of minisign (`minisign -G`). @throws TargetError if it is none. */
export function readPublicKey(path: string): string {
  const line = readFileSync(path, 'utf8').trim().split('\n').at(-1)?.trim() ?? ''
  try {
    readReleaseKey(line)
  } catch (error) {
    if (!(error instanceof BadSignature)) throw error
    throw new TargetError(`${path} is no public key of minisign: ${error.message}`)
  }
  return line
}
