import type { Feed } from '#generated/api.ts'
import { pluralsIn } from '../../../texts/plurals.ts'
import type { Outcome } from '../runs.ts'

const { counted, plural } = pluralsIn('en')

const outcomes: Readonly<Record<Outcome, string>> = {
  good: 'Read',
  same: 'Nothing new',
  stopped: 'Read, and nothing deleted',
  bad: 'Failed',
  running: 'Being read',
}
const statuses: Readonly<Record<Exclude<Feed['status'], 'waiting'>, string>> = {
  queued: 'It will be read in a moment',
  running: 'It is being read now',
}

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Every 24 hours'
  if (minutes === 60) return 'Every hour'
  if (minutes % 1_440 === 0) return `Every ${minutes / 1_440} days`
  return minutes % 60 === 0 ? `Every ${minutes / 60} hours` : `Every ${minutes} minutes`
}

export const texts = {
  heading: 'Feeds',
  none: 'No feed yet',
  noneHint:
    'A feed reads the export of your shop from its address, again and again, so that search knows what you sell today.',
  add: 'Add a feed',
  create: 'Read it now and from now on',
  change: 'Change',
  save: 'Save the feed',
  cancel: 'Cancel',
  address: 'Address of the file',
  addressHint: 'A CSV, TSV, NDJSON or XML file, also packed. Nobody has to be signed in to open it.',
  login: 'Login for the address',
  loginNone: 'None',
  loginKept: 'The one that is kept',
  loginNew: 'A user name and a password',
  withLogin: 'with a login',
  user: 'User name',
  password: 'Password',
  every: 'How often',
  intervals: { 60: 'Every hour', 360: 'Every 6 hours', 1440: 'Every night', 10080: 'Every week' },
  everyMinutes,
  deletes:
    'Delete products that this feed brought when its file names them no more. If more than 20 % would go, nothing is deleted before you say so.',
  deletesToo: 'deletes what is gone',
  statuses,
  paused: 'Stopped',
  next: (when: string) => `next ${when}`,
  lastRuns: 'The last runs',
  outcomes,
  added: (count: string) => `${count} new`,
  updated: (count: string) => `${count} changed`,
  deleted: (count: string) => `${count} deleted`,
  failed: (count: string) => `${count} failed`,
  sameFile: 'the file is the same',
  nothingNew: 'no product differs',
  job: 'Details',
  brake: (missing: string, all: string | null) =>
    `${all === null ? counted(missing, 'product is', 'products are') : `${missing} of ${counted(all, 'product', 'products')} ${plural(missing, 'is', 'are')}`} missing in the file, more than 20 %. A file that was cut off looks the same, so nothing was deleted.`,
  unnamed: (missing: string) =>
    `${counted(missing, 'product is', 'products are')} missing in the file, and some of its rows name no product. One may stand for the other, so nothing was deleted.`,
  answered: (status: string) => `The server answered with status ${status}.`,
  checkAddress: 'Check the address: press “Change”.',
  reasons: {
    dns: 'The host name in the address is not known. Check its spelling.',
    connect: 'The server could not be reached.',
    timeout: 'The file took too long to arrive.',
    tls: 'The certificate of the server is not valid.',
    too_many_redirects: 'The address redirects too often.',
    blocked_address: 'The address lies in a private network, which this service does not enter.',
    too_large: 'The file is too large.',
  },
  reallyGone: 'They are really gone',
  reallyGoneSure: (count: string) => `Delete ${counted(count, 'product', 'products')}?`,
  reallyGoneHint:
    'The file is read once more. What it does not name is deleted with its pictures, this once.',
  deleteProducts: (count: string) => `Delete ${counted(count, 'product', 'products')}`,
  runNow: 'Run now',
  stop: 'Stop',
  start: 'Start',
  delete: 'Delete the feed',
  deleteSure: (url: string) => `Delete the feed ${url}?`,
  deleteHint: 'It is read no more, and its login is gone. Its products stay.',
}
export type Texts = typeof texts
