import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { releaseKey } from '../../version.ts'
import type { Expected } from './candidate.ts'
import { BadSignature, checkSignature, readReleaseKey } from './minisign.ts'

/** How the operator says that a file is to be trusted. */
export interface Trust {
  /** 64 hex digits. */
  sha256: string | undefined
  /** Path of the sums of a release. */
  sums: string | undefined
  isUnsigned: boolean
}

/** The sums of a release, and its signature. */
const SUMS = 'SHA256SUMS'
const SIGNATURE_END = '.minisig'
/** A release has a few dozen files. */
const SUMS_BYTES_MAX = 1_000_000

/** @param key the public key in this program. @returns a sentence for each problem of the options. */
export function findTrustProblems({ sha256, sums, isUnsigned }: Trust, key: string | undefined): string[] {
  const isHash = sha256 === undefined || /^[0-9a-f]{64}$/i.test(sha256)
  return [
    ...(isHash ? [] : ['--sha256 must have 64 hex digits']),
    ...(sha256 === undefined && key === undefined
      ? ['--sha256 HASH is missing: this program was not built as a release, so it knows no release key']
      : []),
    ...(sha256 === undefined && isUnsigned && key !== undefined ? ['--unsigned needs --sha256 HASH'] : []),
    ...(sums !== undefined && isUnsigned ? ['--sums and --unsigned exclude each other'] : []),
    ...(sums !== undefined && key === undefined
      ? ['--sums cannot be checked: this program was not built as a release, so it knows no release key']
      : []),
  ]
}

/**
 * Says which hashes a file may have: those of the signed sums of its release, the given one, or where both are given, the given one if it is
 * among them.
 *
 * @param key the public key in this program.
 * @throws OperatorError if a signature is missing or wrong.
 */
export function readExpected(file: string, { sha256, sums, isUnsigned }: Trust, key = releaseKey): Expected {
  if (key === undefined || isUnsigned) return { hashes: [sha256 ?? ''], source: '--sha256' }
  const path = sums ?? join(dirname(file), SUMS)
  const hashes = readSignedHashes(path, key)
  if (sha256 === undefined) return { hashes, source: path }
  if (hashes.includes(sha256.toLowerCase())) return { hashes: [sha256], source: '--sha256' }
  throw new OperatorError(`${path} has no file with the SHA-256 of --sha256. Nothing was changed.`)
}

function readSignedHashes(path: string, line: string): string[] {
  const key = readReleaseKey(line)
  const signature = `${path}${SIGNATURE_END}`
  const missing = [path, signature].filter((name) => !existsSync(name))
  if (missing.length > 0)
    throw new OperatorError(
      `There is no ${missing.join(' and no ')}. This program takes only versions that are signed with the release key ${key.id}: download ${SUMS} and ${SUMS}${SIGNATURE_END} to the folder of the new version, or name them with --sums. For a build of your own, give --unsigned and --sha256. Nothing was changed.`,
    )
  const content = readSmall(path)
  try {
    checkSignature(content, readSmall(signature).toString('utf8'), key)
  } catch (error) {
    if (!(error instanceof BadSignature)) throw error
    throw new OperatorError(
      `${signature} is no signature of ${path} with the release key ${key.id}: ${error.message}. Nothing was changed: download both again, from where the project publishes them.`,
    )
  }
  // As sha256sum writes it: the hash, two spaces, or a space and a star, the name.
  return [...content.toString('utf8').matchAll(/^([0-9a-f]{64}) [ *]/gm)].map(([, hash = '']) => hash)
}

function readSmall(path: string): Buffer {
  const found = statSync(path)
  if (!found.isFile() || found.size > SUMS_BYTES_MAX)
    throw new OperatorError(`${path} is not of a release: it is no file, or too large. Nothing was changed.`)
  return readFileSync(path)
}
