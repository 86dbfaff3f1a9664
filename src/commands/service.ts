import { SETTING_NAMES } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Call, Command } from './cli/command.ts'
import { createMachine } from './systemd/host.ts'
import { installUnit, printUnit, systemctl, type Unit, uninstallUnit } from './systemd/install.ts'
import { SYSTEM_PLACES, UNIT_NAME, userPlaces } from './systemd/places.ts'

const USER_OPTION = {
  flag: 'user',
  meaning: 'a service of your own, without root, which runs while you are signed in',
}

/** `lookalike service install`. */
const serviceInstall: Command = {
  name: 'service install',
  summary: 'run Lookalike as a service of systemd, from now on and after every start of the machine',
  options: [USER_OPTION, { flag: 'print', meaning: 'print the unit, and change nothing' }],
  settings: SETTING_NAMES,
  essentials: ['BASE_URL', 'PORT', 'TRUSTED_PROXIES', 'DATA_DIR'],
  example:
    'sudo ./lookalike service install --base-url https://search.shop.example --trusted-proxies 127.0.0.1',
  async run({ config, settings, options, env }) {
    const unit = chooseUnit(options['user'] !== undefined, env)
    if (options['print']) {
      console.log(printUnit(unit, config, settings, createMachine(env)).trimEnd())
      return 0
    }
    installUnit(unit, config, settings, createMachine(env))
    console.log(formatInstalled(unit))
    return 0
  },
}

/** `lookalike service uninstall`. */
const serviceUninstall: Command = {
  name: 'service uninstall',
  summary: 'stop the service and remove its unit; data, settings and executable stay',
  options: [USER_OPTION],
  settings: [],
  example: 'sudo lookalike service uninstall',
  async run({ options, env }) {
    const unit = chooseUnit(options['user'] !== undefined, env)
    if (!uninstallUnit(unit, createMachine(env)))
      throw new OperatorError(`There is no service: ${unit.places.unit} does not exist.`)
    console.log(
      `The service is stopped and removed. Its data and the settings in ${unit.places.settings} are still there.`,
    )
    return 0
  },
}

export const serviceCommands: readonly Command[] = [serviceInstall, serviceUninstall]

function chooseUnit(isOfUser: boolean, env: Call['env']): Unit {
  const places = isOfUser ? userPlaces(env) : SYSTEM_PLACES
  if (!places)
    throw new OperatorError('The environment has no HOME, which is where the service of a user is kept.')
  return { isOfUser, places }
}

/** What people want to know next. */
function formatInstalled(unit: Unit): string {
  const { isOfUser, places } = unit
  const sudo = isOfUser ? '' : 'sudo '
  const rows = [
    ['Settings', places.settings],
    ['State', systemctl(unit, 'status', UNIT_NAME).join(' ')],
    ['Log', `journalctl ${isOfUser ? '--user ' : ''}-u ${UNIT_NAME}`],
    ['Restart', `${sudo}${systemctl(unit, 'restart', UNIT_NAME).join(' ')}`],
    ['First account', `${sudo}lookalike setup-link`],
    ...(isOfUser ? [['At every start', 'sudo loginctl enable-linger $USER']] : []),
  ]
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(14)}  ${value}`)
  return ['The service runs.', '', ...lines].join('\n')
}
