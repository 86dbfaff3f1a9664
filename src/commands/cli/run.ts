import { findSecretFlags } from '../../config.ts'
import { ApiError } from '../../core/errors.ts'
import { findNearest } from '../../core/nearest.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { version } from '../../version.ts'
import { backup } from '../backup.ts'
import { backupKey } from '../backup-key.ts'
import { billingCommands } from '../billing.ts'
import { demo } from '../demo.ts'
import { doctor } from '../doctor.ts'
import { exportProducts } from '../export.ts'
import { feedCommands } from '../feed.ts'
import { healthcheck } from '../healthcheck.ts'
import { importFile } from '../import.ts'
import { inbox } from '../inbox.ts'
import { keyCreate, keyList, keyRevoke } from '../key.ts'
import { licences } from '../licences.ts'
import { modelCommands } from '../model.ts'
import { nodeInvite } from '../node-invite.ts'
import { nodeMap } from '../node-map.ts'
import { nodeSecrets } from '../node-secrets.ts'
import { openapi } from '../openapi.ts'
import { outboxCommands } from '../outbox.ts'
import { report } from '../report.ts'
import { restore } from '../restore.ts'
import { search } from '../search.ts'
import { secretReset } from '../secret.ts'
import { serve } from '../serve.ts'
import { NoInstall } from '../service/data-folder.ts'
import { formatSecretFlagWarning } from '../service/warnings.ts'
import { serviceCommands } from '../service.ts'
import { settingsList } from '../settings.ts'
import { setup } from '../setup.ts'
import { setupLink } from '../setup-link.ts'
import { storeCommands } from '../store.ts'
import { upgrade } from '../upgrade.ts'
import { userCommands } from '../user.ts'
import { versionCommand } from '../version.ts'
import { type Command, parseCall } from './command.ts'
import { formatCommands, formatGroups, formatHelp, readColumns } from './help.ts'

/** Commands that belong together in `lookalike --help`. */
export interface CommandGroup {
  title: string
  commands: readonly Command[]
}

/** Every command, in the order of `lookalike --help`: first what a new user needs. */
const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'The first hour', commands: [demo, serve, setupLink, setup, importFile, search, keyCreate] },
  { title: 'Products', commands: [exportProducts, ...feedCommands, report] },
  { title: 'Keys', commands: [keyList, keyRevoke] },
  { title: 'Stores', commands: storeCommands },
  { title: 'People', commands: userCommands },
  { title: 'Models', commands: modelCommands },
  { title: 'Nodes', commands: [nodeMap, nodeInvite, nodeSecrets] },
  { title: 'Bills', commands: billingCommands },
  { title: 'Mail and webhooks', commands: [...outboxCommands, inbox] },
  {
    title: 'The service',
    commands: [
      backup,
      backupKey,
      restore,
      upgrade,
      ...serviceCommands,
      doctor,
      healthcheck,
      settingsList,
      secretReset,
      openapi,
      licences,
      versionCommand,
    ],
  },
]

/** Every command of every group. */
export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)

/**
 * Runs a command line.
 *
 * @param hint what may explain why there is no install where the command looks.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for a wrong command line or setting.
 */
export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  hint?: string,
): Promise<number> {
  const [first] = argv
  if (first === 'help' && argv.length > 1) return runCommand([...argv.slice(1), '--help'], env)
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    console.log(formatOverview())
    return first === undefined ? 2 : 0
  }
  if (first === '--version' || first === '-v') return runCommand(['version'], env)
  // The longest name: "backup key" is another command than "backup".
  const [command] = COMMANDS.filter(({ name }) =>
    name.split(' ').every((word, n) => argv[n] === word),
  ).toSorted((a, b) => b.name.length - a.name.length)
  if (!command) return reportUnknown(argv)
  const rest = argv.slice(command.name.split(' ').length)
  if (asksForHelp(rest)) {
    console.log(formatHelp(command, readColumns(), rest.includes('--all')))
    return 0
  }
  try {
    const call = parseCall(command, rest, env)
    for (const name of findSecretFlags(call.options)) console.error(formatSecretFlagWarning(name))
    return await command.run(call)
  } catch (error) {
    return reportError(error, command, hint)
  }
}

const asksForHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h')

function reportUnknown(argv: readonly string[]): number {
  const [first = ''] = argv
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && asksForHelp(argv)) {
    console.log(group.map((command) => formatHelp(command)).join('\n\n'))
    return 0
  }
  const words = argv.slice(0, 2).filter((word) => !word.startsWith('-'))
  const isHalf = group.length > 0 && words.length < 2
  const typed = group.length > 0 ? words.join(' ') : first
  const near = isHalf ? undefined : suggestCommand(words)
  const problem = isHalf
    ? `lookalike ${typed} needs a second word:`
    : `There is no command "${typed}".${near ? ` Did you mean "lookalike ${near}"?` : ''}`
  const columns = readColumns(process.stderr)
  const rest =
    group.length > 0
      ? `\n\n${formatCommands(group, columns)}\n\nlookalike ${first} --help shows their options.`
      : ' lookalike --help lists all commands.'
  console.error(problem + rest)
  return 2
}

/** Finds the command that was probably meant by the first two words, or by the first alone. */
function suggestCommand(words: readonly string[]): string | undefined {
  const names = COMMANDS.map(({ name }) => name)
  return findNearest(words.join(' '), names) ?? findNearest(words[0] ?? '', names)
}

/** Prints an error for the operator. @returns the exit code. */
function reportError(error: unknown, command: Command, hint?: string): number {
  if (error instanceof NoInstall && hint !== undefined) error.message += `\n${hint}`
  if (error instanceof OperatorError) {
    const help = `lookalike ${command.name} --help shows how to use it.`
    console.error(error.kind === 'wrong_usage' ? `${error.message}\n${help}` : error.message)
    return error.exitCode
  }
  // Services that commands share with the API refuse with API errors.
  if (error instanceof ApiError) console.error(error.message)
  // Not the error itself: printing it would add a line of the minified program.
  else console.error(error instanceof Error ? error.stack : error)
  return 1
}

const formatOverview = (): string => `Lookalike ${version}: visual product search in one file.

${formatGroups(COMMAND_GROUPS)}

lookalike <command> --help shows its options and an example.
Try it: lookalike demo`
