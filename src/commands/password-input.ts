import { readFile } from 'node:fs/promises'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import type { Call, Command } from './command.ts'

/** Far more than any password; whoever sends more sends something else. */
const BYTES_MAX = 64 * 1024

type Options = Call['options']

/** The options of a command that takes a password. @param whose such as "of the owner". */
export const passwordOptions = (whose: string): NonNullable<Command['options']> => [
  {
    flag: 'password',
    value: 'PASSWORD',
    meaning: `the password ${whose}, at least 10 characters; - reads it from standard input; written here it can be read in the process list`,
  },
  {
    flag: 'password-file',
    value: 'FILE',
    meaning: 'a file that holds the password; one newline at its end does not count',
  },
]

/**
 * The password that a command line gives, by value, from a file or from standard input, which is read without an echo
 * where it is a terminal; undefined when it gives none.
 *
 * @throws OperatorError.
 */
export async function givenPassword(options: Options): Promise<string | undefined> {
  const { password, 'password-file': file } = options
  if (password !== undefined && file !== undefined) {
    throw wrongUsage('Give --password or --password-file, not both')
  }
  if (file !== undefined) return withoutNewline(textOf(await bytesOf(file), file))
  if (password === '-') return process.stdin.isTTY ? askHidden('Password: ') : fromStandardInput()
  return password
}

/** Tells whoever has set a password on the command line that it was no secret there. */
export function warnOfVisiblePassword({ password }: Options): void {
  if (password === undefined || password === '-') return
  console.error(
    'Warning: whoever is signed in on this machine can read what stands behind --password in the process list. Use --password-file FILE, or --password - for standard input.',
  )
}

/** Asks for a password on the terminal, without an echo. @throws OperatorError where there is no terminal. */
export function askPassword(whose: string): Promise<string> {
  if (process.stdin.isTTY) return askHidden(`Password ${whose}: `)
  throw wrongUsage(
    'The password is missing: give --password-file FILE, or --password - to send it on standard input',
  )
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new OperatorError(`The password cannot be read from ${path}: ${(error as Error).message}`)
  }
}

async function fromStandardInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > BYTES_MAX) break
  }
  return withoutNewline(textOf(Buffer.concat(chunks), 'standard input'))
}

function textOf(bytes: Uint8Array, source: string): string {
  if (bytes.length > BYTES_MAX)
    throw new OperatorError(`What comes from ${source} is too long for a password`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new OperatorError(`What comes from ${source} is no UTF-8 text`)
  }
}

/** Without the one newline that editors and `echo` put at the end. */
const withoutNewline = (text: string): string => text.replace(/\r?\n$/, '')

const ENTER = /[\r\n]/
const [INTERRUPT, END, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f']
const CONTROL = /\p{Cc}/u

/** Reads one line from the terminal; nothing of it is shown. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question: what is typed at once must not be shown, nor be edited by the terminal.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  const typed: string[] = []
  return new Promise((resolve, reject) => {
    const end = (isDone: boolean): void => {
      stdin.off('data', read).off('end', giveUp)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      if (isDone) resolve(typed.join(''))
      else reject(new OperatorError('No password was given'))
    }
    const giveUp = (): void => end(false)
    const read = (text: string): void => {
      for (const character of text) {
        const isEnter = ENTER.test(character)
        if (isEnter || character === INTERRUPT || character === END) {
          end(isEnter)
          break
        }
        if (character === BACKSPACE || character === DELETE) typed.pop()
        else if (!CONTROL.test(character)) typed.push(character)
      }
    }
    stdin.on('data', read).on('end', giveUp).resume()
  })
}
