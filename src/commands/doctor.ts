import { SETTING_NAMES } from '../config.ts'
import type { Command } from './cli/command.ts'
import type { Check } from './doctor/check.ts'
import { examine } from './doctor/examination.ts'

/** `lookalike doctor`. It changes nothing, and creates no install. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check settings, folder, disk, port, model, clock and mail; exit with 1 if something is wrong',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: SETTING_NAMES,
  essentials: ['DATA_DIR', 'HOST', 'PORT'],
  example: 'lookalike doctor --data-dir /var/lib/lookalike',
  async run({ config, options, variables }) {
    const checks: Check[] = []
    for await (const check of examine(config, variables)) {
      checks.push(check)
      if (!options['json']) console.log(`${SIGNS[check.state]}  ${check.name.padEnd(8)}  ${check.text}`)
    }
    if (options['json']) console.log(JSON.stringify(checks))
    return checks.some(({ state }) => state === 'failed') ? 1 : 0
  },
}

const SIGNS: Readonly<Record<Check['state'], string>> = {
  ok: 'ok     ',
  warning: 'warning',
  failed: 'FAILED ',
}
