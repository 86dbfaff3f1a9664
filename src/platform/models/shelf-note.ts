import { existsSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { replaceFile } from '../replace-file.ts'
import { ModelFacts } from './proof.ts'
import type { ShelvedModel } from './shelf.ts'

/** What a folder was when it was added, so that a start need not hash hundreds of megabytes. */
const Note = Type.Object({
  version: Type.Literal(1),
  ...ModelFacts.properties,
  bytes: Type.Integer({ minimum: 0 }),
  memory_bytes: Type.Integer({ minimum: 0 }),
  files: Type.Array(
    // Times as text, because they have more digits than a number.
    Type.Object({ path: Type.String(), bytes: Type.Integer({ minimum: 0 }), changed: Type.String() }),
    { maxItems: 40 },
  ),
})
type Note = Static<typeof Note>

const NOTE_FILE = 'shelf.json'
/** The hash does not cover these: changing them changes no vector. */
const UNHASHED = ['calibration.json', 'golden.json', 'seen_tokens.json', 'special_tokens_map.json']

export type Facts = Pick<ShelvedModel, 'hash' | 'dimension' | 'family' | 'bytes' | 'memoryBytes'>

/** Remembers what a complete folder is. @param paths of its files. */
export async function writeNote(
  dir: string,
  paths: readonly string[],
  facts: ModelFacts,
  memoryBytes: number,
): Promise<void> {
  const files = await statFiles(dir, paths)
  writeText(dir, {
    version: 1,
    ...facts,
    bytes: sumBytes(files),
    memory_bytes: Math.round(memoryBytes),
    files,
  })
}

export const sumBytes = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Reads what is known of a folder on the shelf. Files of the same sizes and times are taken to be the same; others are hashed
 * again, as after a copy that does not keep times, and the new times are remembered if they are still the same files.
 *
 * @param hash reads every byte of a folder.
 * @param changed the files of folders that were hashed and are no longer what they were: pages ask every other second.
 */
export async function readFacts(
  dir: string,
  hash: (dir: string) => Promise<ModelFacts>,
  changed: Map<string, string>,
): Promise<{ facts?: Facts; problem?: string }> {
  const note = await readNote(dir)
  if (typeof note === 'string') return { problem: note }
  const { hash: noted, dimension, family, bytes, memory_bytes: memoryBytes } = note
  const facts = { hash: noted, dimension, family, bytes, memoryBytes }
  const gone = note.files.find(({ path }) => !existsSync(join(dir, path)))
  if (gone)
    return { facts, problem: `The model ${basename(dir)} has lost ${gone.path}: remove it and add it again.` }
  const files = await statFiles(
    dir,
    note.files.map(({ path }) => path),
  )
  if (files.every((file) => isSame(file, note.files))) return { facts }
  const state = JSON.stringify(files)
  const problem = tellChanged(basename(dir))
  if (changed.get(dir) === state) return { facts, problem }
  const found = await hash(dir).catch(() => undefined)
  if (found?.hash !== note.hash) {
    // One that could not be read may be read the next time.
    if (found) changed.set(dir, state)
    return { facts, problem }
  }
  writeText(dir, { ...note, files })
  return { facts }
}

export const tellChanged = (name: string): string =>
  `The files of the model ${name} have changed since it was added: remove it and add it again.`

/** The hashes of the models in a folder, as they were when they were added. */
export async function readNotedHashes(root: string): Promise<Set<string>> {
  const names = await readdir(root).catch(() => [])
  const notes = await Promise.all(names.map((name) => readNote(join(root, name))))
  return new Set(notes.flatMap((note) => (typeof note === 'string' ? [] : [note.hash])))
}

/** @returns the problem where there is no note that can be read. */
async function readNote(dir: string): Promise<Note | string> {
  try {
    return Value.Parse(Note, JSON.parse(await readFile(join(dir, NOTE_FILE), 'utf8')))
  } catch {
    return `The folder ${basename(dir)} was not put here by "lookalike model add": move it to another place, and add it from there.`
  }
}

type FileFacts = Note['files'][number]

async function statFiles(dir: string, paths: readonly string[]): Promise<FileFacts[]> {
  const files: FileFacts[] = []
  for (const path of paths) {
    const stat = await lstat(join(dir, path), { bigint: true })
    if (stat.isFile()) files.push({ path, bytes: Number(stat.size), changed: String(stat.mtimeNs) })
  }
  return files
}

const isSame = ({ path, bytes, changed }: FileFacts, files: readonly FileFacts[]): boolean =>
  UNHASHED.includes(path) ||
  files.some((file) => file.path === path && file.bytes === bytes && file.changed === changed)

const writeText = (dir: string, note: Note): void =>
  replaceFile(join(dir, NOTE_FILE), `${JSON.stringify(note, null, 2)}\n`, 0o600)
