import { createInterface } from 'node:readline/promises'
import { wrongUsage } from '../../core/operator-error.ts'

/**
 * Asks on the terminal before something is lost.
 *
 * @param loss completes "…, and there is no terminal to ask on".
 * @throws OperatorError where there is no terminal and `--yes` is missing.
 */
export async function confirm(
  question: string,
  loss: string,
  options: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  if (options['yes'] !== undefined) return true
  if (!process.stdin.isTTY) throw wrongUsage(`${loss}, and there is no terminal to ask on: give --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`\n${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
