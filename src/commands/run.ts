import { findSecretFlags } from '../config.ts'
import { ApiError } from '../core/errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import { version } from '../version.ts'
import { type Command, formatHelp, parseCall } from './command.ts'
import { demo } from './demo.ts'
import { exportProducts } from './export.ts'
import { healthcheck } from './healthcheck.ts'
import { importFile } from './import.ts'
import { inbox } from './inbox.ts'
import { keyCreate } from './key-create.ts'
import { keyList } from './key-list.ts'
import { keyRevoke } from './key-revoke.ts'
import { openapi } from './openapi.ts'
import { outbox } from './outbox.ts'
import { secretReset } from './secret-reset.ts'
import { serve } from './serve.ts'
import { setup } from './setup.ts'
import { storeClearIpWhitelist } from './store-clear-ip-whitelist.ts'
import { storeSetPlan } from './store-set-plan.ts'
import { userInvite } from './user-invite.ts'
import { userReset2fa } from './user-reset-2fa.ts'
import { userResetPassword } from './user-reset-password.ts'
import { userUnlock } from './user-unlock.ts'
import { userVerify } from './user-verify.ts'
import { formatSecretFlagWarning } from './warnings.ts'

const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  settings: [],
  example: 'lookalike version',
  async run() {
    console.log(version)
    return 0
  },
}

/** Every command, in the order of `lookalike --help`. */
export const COMMANDS: readonly Command[] = [
  serve,
  setup,
  demo,
  importFile,
  exportProducts,
  keyCreate,
  keyList,
  keyRevoke,
  storeSetPlan,
  storeClearIpWhitelist,
  userVerify,
  userInvite,
  userResetPassword,
  userReset2fa,
  userUnlock,
  outbox,
  inbox,
  secretReset,
  healthcheck,
  openapi,
  versionCommand,
]

/**
 * Runs a command line.
 *
 * @returns the exit code: 0 for success, 1 for a failure, 2 for a wrong command line or setting.
 */
export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const [first] = argv
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    console.log(formatOverview())
    return first === undefined ? 2 : 0
  }
  if (first === '--version' || first === '-v') return runCommand(['version'], env)
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => argv[n] === word))
  if (!command) return reportUnknown(argv)
  const rest = argv.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(formatHelp(command))
    return 0
  }
  try {
    const call = parseCall(command, rest, env)
    for (const name of findSecretFlags(call.options)) console.error(formatSecretFlagWarning(name))
    return await command.run(call)
  } catch (error) {
    return reportError(error, command)
  }
}

function reportUnknown(argv: readonly string[]): number {
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${argv[0]} `))
  if (group.length > 0) {
    const isAsked = argv.includes('--help') || argv.includes('-h')
    if (!isAsked)
      console.error(`There is no command "${argv.slice(0, 2).join(' ')}". Did you mean one of these?\n`)
    console.log(group.map(formatHelp).join('\n\n'))
    return isAsked ? 0 : 2
  }
  console.error(`There is no command "${argv[0]}". lookalike --help lists all commands.`)
  return 2
}

/** Prints an error for the operator. @returns the exit code. */
function reportError(error: unknown, command: Command): number {
  if (error instanceof OperatorError) {
    const hint = `lookalike ${command.name} --help shows how to use it.`
    console.error(error.kind === 'wrong_usage' ? `${error.message}\n${hint}` : error.message)
    return error.exitCode
  }
  // Services that commands share with the API refuse with API errors.
  if (error instanceof ApiError) console.error(error.message)
  // Not the error itself: printing it would add a line of the minified program.
  else console.error(error instanceof Error ? error.stack : error)
  return 1
}

function formatOverview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  const list = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')
  return `Lookalike ${version}: visual product search in one file.

Commands
${list}

lookalike <command> --help shows its options and an example.
Try it: lookalike demo`
}
