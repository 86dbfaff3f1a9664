import type { Config, SettingName } from '../../config.ts'
import { UNIT_NAME, type UnitPlaces } from './places.ts'

interface UnitPlan {
  /** The unit of a user, which runs without privileges of its own. */
  isOfUser: boolean
  places: Pick<UnitPlaces, 'settings' | 'executable'>
  config: Pick<Config, 'PORT' | 'DOMAIN' | 'HTTP_PORT' | PathSetting>
}

/** Settings that name a file or a folder. */
export const PATHS = [
  'DATA_DIR',
  'BACKUP_DIR',
  'BACKUP_TO',
  'MODEL_DIR',
  'LIBRARY_DIR',
  'LITESTREAM',
  'PLANS_FILE',
  'TLS_CERT',
  'TLS_KEY',
  'ACME_CA',
] as const satisfies SettingName[]
type PathSetting = (typeof PATHS)[number]

/** Ports below this one need a capability. */
const FIRST_FREE_PORT = 1024

/** Writes the unit of systemd that runs the service. */
export const formatUnit = (plan: UnitPlan): string =>
  [
    '# Written by "lookalike service install", which writes it anew. Changes of your own: systemctl edit lookalike.',
    '[Unit]',
    'Description=Lookalike product search',
    ...(plan.isOfUser ? [] : ['Wants=network-online.target', 'After=network-online.target']),
    '',
    '[Service]',
    ...formatProcess(plan),
    ...HARDENING,
    ...(plan.isOfUser ? [] : formatIsolation(plan)),
    '',
    '[Install]',
    `WantedBy=${plan.isOfUser ? 'default.target' : 'multi-user.target'}`,
    '',
  ].join('\n')

const formatProcess = ({ isOfUser, places, config }: UnitPlan): string[] => [
  'Type=notify',
  // The service speaks through systemd-notify, which is a process of its own.
  'NotifyAccess=all',
  ...(isOfUser ? [] : [`User=${UNIT_NAME}`, `Group=${UNIT_NAME}`]),
  `EnvironmentFile=${escapeSpecifiers(places.settings)}`,
  `ExecStart=${quotePath(places.executable)} serve`,
  // Without a certificate to read again, the signal would end the service.
  ...(config.TLS_CERT || config.DOMAIN ? ['ExecReload=/bin/kill -HUP $MAINPID'] : []),
  'Restart=on-failure',
  'RestartSec=2',
  '# A wrong setting does not mend itself.',
  'RestartPreventExitStatus=2',
  '# A service that says nothing for a minute hangs: it is killed and started again.',
  'WatchdogSec=60',
  'WatchdogSignal=SIGKILL',
  '# An upgrade migrates the database before the service is ready.',
  'TimeoutStartSec=15min',
  'TimeoutStopSec=20',
  'KillMode=mixed',
  '# The service replaces a process for pictures that took too much memory.',
  'OOMPolicy=continue',
  'LimitNOFILE=65536',
]

/** What also holds for the unit of a user. There is no MemoryDenyWriteExecute=: the engine compiles while it runs. */
const HARDENING = [
  'UMask=0077',
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged',
  'SystemCallErrorNumber=EPERM',
]

/** Separates the service from the rest of the machine. ProcSubset= stays out: the service reads how much memory there is. */
function formatIsolation({ config }: UnitPlan): string[] {
  const { DATA_DIR: dataDir, BACKUP_DIR: backupDir, BACKUP_TO: copiesTo } = config
  const ports = [config.PORT, ...(config.DOMAIN ? [config.HTTP_PORT] : [])]
  const needsPrivilege = ports.some((port) => port > 0 && port < FIRST_FREE_PORT)
  return [
    `ReadWritePaths=${[
      ...[dataDir, backupDir].filter((path) => path !== '').map(quotePath),
      // A disk that is not mounted must not keep the service from starting.
      ...(copiesTo.startsWith('/') ? [`-${quotePath(copiesTo)}`] : []),
    ].join(' ')}`,
    'ProtectSystem=strict',
    `ProtectHome=${hasPathInHome(config) ? 'read-only' : 'yes'}`,
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateMounts=yes',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'ProtectProc=invisible',
    'KeyringMode=private',
    'RemoveIPC=yes',
    ...(needsPrivilege
      ? ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'AmbientCapabilities=CAP_NET_BIND_SERVICE']
      : ['CapabilityBoundingSet=', 'PrivateUsers=yes']),
  ]
}

const hasPathInHome = (config: UnitPlan['config']): boolean =>
  PATHS.some((name) => /^\/(home|root|run\/user)\//.test(config[name]))

/** systemd replaces what stands behind a percent sign. */
const escapeSpecifiers = (path: string): string => path.replaceAll('%', '%%')

/** Quotes a path for a unit, where blanks separate words. */
const quotePath = (path: string): string => {
  const escaped = escapeSpecifiers(path)
  return /^[\w./%@+-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
