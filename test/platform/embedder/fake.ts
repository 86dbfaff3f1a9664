import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EmbedPriority } from '../../../src/platform/embedder/embedder.ts'
import { type LoggedEmbedder, startEmbedder } from './bundled.ts'

const FAKE = fileURLToPath(new URL('./fake-child.ts', import.meta.url))

export type FakeOptions = Parameters<typeof startEmbedder>[0]

/** An embedder whose processes are those of `fake-child.ts`, which do what they are told. */
export interface Fake extends LoggedEmbedder {
  dir: string
  /** Sends a "picture". */
  ask(words: string, storeId?: string, priority?: EmbedPriority): Promise<string>
  /** Lets go what waits for this name. */
  release(name: string): void
  /** The names of what has been begun so far, in order. */
  begun(): string[]
  remove(): Promise<void>
}

/** @param options further ones; `command` may be a function of the fake's folder. */
export function startFake(
  options: Omit<NonNullable<FakeOptions>, 'command'> & { command?: (dir: string) => string[] } = {},
): Fake {
  const dir = mkdtempSync(join(tmpdir(), 'lookalike-fake-'))
  const { command = () => [process.execPath, FAKE], ...rest } = options
  const started = startEmbedder({ ...rest, command: command(dir), env: { FAKE_DIR: dir } })
  return {
    ...started,
    dir,
    /** Ends in `fine`, or in the code of the refusal. */
    ask: (words, storeId = 'a', priority = 'search') =>
      started.embedder.embedPicture(new TextEncoder().encode(words), { storeId, priority }).then(
        () => 'fine',
        (error) => error.code ?? String(error),
      ),
    release: (name) => writeFileSync(join(dir, name), ''),
    begun() {
      const path = join(dir, 'begun')
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    },
    async remove() {
      await started.embedder.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The command line of a fake that is on its way up until somebody lets it. */
export function closedProgram(dir: string): string[] {
  writeFileSync(join(dir, 'closed'), '')
  return [process.execPath, FAKE]
}

/** The command line of the fake with a program that is not there until somebody puts it there. */
export const missingProgram = (dir: string): string[] => [join(dir, 'program'), FAKE]

/** Waits until something is so; a test's own limit ends the waiting. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(2)
}
