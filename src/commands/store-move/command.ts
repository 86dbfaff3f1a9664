import { wrongUsage } from '../../core/operator-error.ts'
import type { Command } from '../cli/command.ts'
import { buildCodeOptions, findCodeProblems } from '../cli/node-code.ts'
import { JSON_OPTION } from '../cli/options.ts'
import { MOVE_SETTINGS } from '../model/state.ts'
import { beginMove, cancelMove, showMoveStatus } from './verbs.ts'

const PRINTER = 'lookalike node invite'

/** `lookalike store move`: begins a move and follows it, says how far it is, or cancels it. */
export const moveStore: Command = {
  name: 'store move',
  summary: 'move a store to another node while it is served, and wait for the end',
  positionals: ['SLUG'],
  options: [
    { flag: 'to', value: 'URL', meaning: 'the other node, as its "lookalike node invite" prints it' },
    ...buildCodeOptions(PRINTER),
    { flag: 'detach', meaning: 'do not wait; --status shows how far it is' },
    { flag: 'status', meaning: 'say how far the move is' },
    { flag: 'cancel', meaning: 'cancel the move; the store stays here' },
    {
      flag: 'target-lost',
      meaning:
        'with --cancel at the very end of a move: the other node is lost for good, keep the store here',
    },
    JSON_OPTION,
  ],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike store move my-shop --to https://node-2.example.com --code-file code.txt',
  findProblems(options) {
    const { to, code, 'code-file': file, status, cancel, detach, 'target-lost': lost } = options
    if (lost !== undefined && cancel === undefined) return ['--target-lost goes with --cancel']
    const asked = [status, cancel].filter((flag) => flag !== undefined).length
    if (asked === 2) return ['Give --status or --cancel, not both']
    if (asked === 1)
      return [to, code, file, detach].every((flag) => flag === undefined)
        ? []
        : ['--status and --cancel take neither --to, --code, --code-file nor --detach']
    return [
      ...(to === undefined
        ? ['--to URL is missing: "lookalike node invite" on the other node prints it']
        : []),
      ...findCodeProblems(options, PRINTER),
    ]
  },
  run(call) {
    const [slug] = call.positionals
    if (slug === undefined) throw wrongUsage('Name a store')
    if (call.options['status'] !== undefined) return showMoveStatus(call, slug)
    return call.options['cancel'] === undefined ? beginMove(call, slug) : cancelMove(call, slug)
  },
}
