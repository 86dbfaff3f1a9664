import { readFile } from 'node:fs/promises'
import { OperatorError } from '../../core/operator-error.ts'
import type { Call, Command } from './command.ts'
import { readStandardInput } from './standard-input.ts'

/** Far more than any code. */
const BYTES_MAX = 4_096

/** Options of a command that takes the code of another node. @param printer the command there that prints it. */
export const buildCodeOptions = (printer: string): NonNullable<Command['options']> => [
  {
    flag: 'code',
    value: 'CODE',
    meaning: `the code of "${printer}" on the other node; - reads it from standard input`,
  },
  { flag: 'code-file', value: 'FILE', meaning: 'file with the code' },
]

/** What is wrong with the code of a command line, before it is read. */
export function findCodeProblems({ code, 'code-file': file }: Call['options'], printer: string): string[] {
  if (code === undefined && file === undefined)
    return [`The code of "${printer}" is missing: use --code-file FILE, or --code - for standard input`]
  return code !== undefined && file !== undefined ? ['Give --code or --code-file, not both'] : []
}

/**
 * Reads the code from the command line, a file or standard input. Says so on stderr where others may read it, too.
 *
 * @throws OperatorError
 */
export async function readCode({ code, 'code-file': file }: Call['options']): Promise<string> {
  const text = file !== undefined ? await readCodeFile(file) : code === '-' ? await readInput() : (code ?? '')
  if (text.trim() === '') throw new OperatorError('The code is empty')
  if (file === undefined && code !== '-')
    console.error(
      'Note: the code stands in the history of your shell. It is good once and for ten minutes; --code-file FILE, or --code - for standard input, keep the next one out of it.',
    )
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
  const bytes = await readStandardInput(BYTES_MAX, { isLine: true })
  return bytes.subarray(0, BYTES_MAX).toString('utf8')
}
