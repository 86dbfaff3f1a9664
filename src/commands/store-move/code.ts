import { readFile } from 'node:fs/promises'
import { OperatorError } from '../../core/operator-error.ts'
import type { Call } from '../cli/command.ts'

/** Far more than any code. */
const BYTES_MAX = 4_096

/** Reads the code of `node invite` from the command line, a file or standard input. @throws OperatorError */
export async function readCode({ code, 'code-file': file }: Call['options']): Promise<string> {
  const text = file !== undefined ? await readCodeFile(file) : code === '-' ? await readInput() : (code ?? '')
  if (text.trim() === '') throw new OperatorError('The code is empty')
  return text.trim()
}

async function readCodeFile(path: string): Promise<string> {
  try {
    return (await readFile(path)).subarray(0, BYTES_MAX).toString('utf8')
  } catch (error) {
    throw new OperatorError(`The code cannot be read from ${path}: ${(error as Error).message}`)
  }
}

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > BYTES_MAX || chunk.includes(0x0a)) break
  }
  return Buffer.concat(chunks).subarray(0, BYTES_MAX).toString('utf8')
}
