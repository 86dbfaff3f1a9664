import { resolve } from 'node:path'
import { type Config, SETTING_NAMES } from '../config.ts'
import { openReadOnly } from '../platform/db/read-only.ts'
import type { Command } from './cli/command.ts'
import { formatTable } from './cli/table.ts'
import type { Check } from './doctor/check.ts'
import { type Destination, listDestinations } from './doctor/destinations.ts'
import { examine } from './doctor/examination.ts'
import { checkDataFolder } from './doctor/host-checks.ts'
import { installQueries } from './doctor/install-queries.ts'
import { parseNetworks } from './service/open-ports.ts'

/** `lookalike doctor`. It changes nothing, and creates no install. */
export const doctor: Command = {
  name: 'doctor',
  summary:
    'check settings, folder, disk, database, model, clock, addresses, mail, bucket, webhooks, feeds and backups; exit with 1 if something is wrong',
  options: [
    { flag: 'json', meaning: 'print JSON' },
    { flag: 'mail-to', value: 'ADDRESS', meaning: 'also send a test mail there' },
    { flag: 'egress', meaning: 'list what these settings may connect to, and why; connects to nothing' },
  ],
  settings: SETTING_NAMES,
  essentials: ['DATA_DIR', 'HOST', 'PORT'],
  example: 'lookalike doctor --data-dir /var/lib/lookalike',
  findProblems: (options) =>
    options['egress'] && options['mail-to']
      ? ['--mail-to sends a mail, and --egress connects to nothing']
      : [],
  async run({ config, options, variables }) {
    const isJson = Boolean(options['json'])
    if (options['egress']) {
      // What is no network would be listed as one, though the service refuses to start with it.
      parseNetworks(config, 'FETCH_ALLOW_CIDRS')
      parseNetworks(config, 'WEBHOOK_ALLOW_CIDRS')
      const destinations = listDestinations(config, readAddresses(config))
      console.log(isJson ? JSON.stringify(destinations) : formatDestinations(destinations))
      return 0
    }
    const checks: Check[] = []
    for await (const check of examine(config, { variables, isThorough: true, mailTo: options['mail-to'] })) {
      checks.push(check)
      if (!isJson) console.log(formatCheck(check))
    }
    if (isJson) console.log(JSON.stringify(checks))
    return checks.some(({ state }) => state === 'error') ? 1 : 0
  },
}

const SIGNS: Readonly<Record<Check['state'], string>> = {
  ok: 'ok     ',
  warning: 'warning',
  error: 'ERROR  ',
}
const NAME_CHARS = 10

function formatCheck({ name, state, text, cure }: Check): string {
  const line = `${SIGNS[state]}  ${name.padEnd(NAME_CHARS)}  ${text}`
  return cure === null ? line : `${line}\n${' '.repeat(SIGNS.ok.length + NAME_CHARS + 4)}→ ${cure}`
}

/** The addresses that stores have named; none where there is no install that can be read. */
function readAddresses({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): { feeds: string[]; webhooks: string[] } {
  const dataDir = resolve(DATA_DIR)
  const folder = checkDataFolder(dataDir)
  const none = { feeds: [], webhooks: [] }
  if (folder.state !== 'ok' || folder.text.includes('no install')) return none
  try {
    const db = openReadOnly(dataDir)
    try {
      return installQueries(db).listAddresses()
    } finally {
      db.close()
    }
  } catch {
    // An examination tells why.
    return none
  }
}

const formatDestinations = (destinations: readonly Destination[]): string =>
  destinations.length === 0
    ? 'Nothing: OFFLINE is 1, and no network is allowed.'
    : formatTable([
        ['WHAT', 'WHERE', 'BECAUSE OF', 'WHY'],
        ...destinations.map(({ what, where, setting, why }) => [what, where, setting, why]),
      ])
