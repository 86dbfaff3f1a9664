import { readNotices } from '../features/operation/docs/notices.ts'
import type { Command } from './cli/command.ts'

/** `lookalike licences`. */
export const licences: Command = {
  name: 'licences',
  summary:
    'print the licences and notices of everything inside the executable, and how to replace LGPL libraries',
  settings: [],
  example: 'lookalike licences | less',
  async run() {
    process.stdout.write(new TextDecoder().decode(Bun.gunzipSync(await readNotices())))
    return 0
  },
}
