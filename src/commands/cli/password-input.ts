import { readFile } from 'node:fs/promises'
import { OperatorError, wrongUsage } from '../../core/operator-error.ts'
import type { Call, Command } from './command.ts'
import { readStandardInput } from './standard-input.ts'

/** Far more than any password. */
const BYTES_MAX = 64 * 1024

type Options = Call['options']

/** Builds the options of a command that takes a password. @param whose completes "the password", such as "of the owner". */
export const buildPasswordOptions = (whose: string): NonNullable<Command['options']> => [
  {
    flag: 'password',
    value: 'PASSWORD',
    meaning: `the password ${whose}, at least 10 characters; - reads it from standard input; a password given here is visible in the process list`,
  },
  {
    flag: 'password-file',
    value: 'FILE',
    meaning: 'file that contains the password; one trailing newline is ignored',
  },
]

/**
 * Reads the password that a command line gives by value, in a file or on standard input. A terminal does not echo it.
 *
 * @returns undefined if the command line gives none.
 * @throws OperatorError
 */
export async function readGivenPassword(options: Options): Promise<string | undefined> {
  const { password, 'password-file': file } = options
  if (password !== undefined && file !== undefined) {
    throw wrongUsage('Give --password or --password-file, not both')
  }
  if (file !== undefined) return stripNewline(decodeText(await readBytes(file), file))
  if (password === '-') return process.stdin.isTTY ? askTwice('Password: ') : readInput()
  return password
}

/** Warns that a password on the command line is visible to others. */
export function warnOfVisiblePassword({ password }: Options): void {
  if (password === undefined || password === '-') return
  console.error(
    'Warning: other users of this machine can read the value of --password in the process list. Use --password-file FILE, or --password - for standard input.',
  )
}

/** Finds out whether a command line gives a password, or a terminal can be asked for it. @returns the problem if neither. */
export const findMissingPassword = ({ password, 'password-file': file }: Options): string[] =>
  password === undefined && file === undefined && !process.stdin.isTTY
    ? ['The password is missing: use --password-file FILE, or --password - to pass it on standard input']
    : []

/**
 * Asks for a password on the terminal, without echo.
 *
 * @param isNew whether to ask twice, because nobody would notice a mistake.
 * @throws OperatorError
 */
export function askPassword(whose: string, { isNew }: { isNew: boolean }): Promise<string> {
  const question = `Password ${whose}: `
  return isNew ? askTwice(question) : askHidden(question)
}

/** How often a password is asked for whose repetition differs. */
const TRIES_MAX = 3

async function askTwice(question: string): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const password = await askHidden(question)
    if ((await askHidden('The same again: ')) === password) return password
    process.stderr.write('The two passwords differ. ')
  }
  process.stderr.write('\n')
  throw new OperatorError('No password was given')
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new OperatorError(`The password cannot be read from ${path}: ${(error as Error).message}`)
  }
}

async function readInput(): Promise<string> {
  const bytes = await readStandardInput(BYTES_MAX, { isLine: false })
  return stripNewline(decodeText(bytes, 'standard input'))
}

function decodeText(bytes: Uint8Array, source: string): string {
  if (bytes.length > BYTES_MAX) throw new OperatorError(`The text from ${source} is too long for a password`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new OperatorError(`The text from ${source} is not valid UTF-8`)
  }
}

/** Removes the one newline that editors and `echo` append. */
const stripNewline = (text: string): string => text.replace(/\r?\n$/, '')

const ENTER = /[\r\n]/
const [INTERRUPT, END, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f']
const CONTROL = /\p{Cc}/u

/** Reads one line from the terminal without showing it. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question, so that the terminal never shows or edits the first characters.
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
