import { isIPv4 } from 'node:net'

/** Blocks that no stranger may reach, from the IANA registries of special addresses and the pages of cloud providers. */
export const SPECIAL_BLOCKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '100.100.100.200/32',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '169.254.169.254/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:127.0.0.0/104',
  '::ffff:0:0:0/96',
  '64:ff9b::10.0.0.0/104',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '4000::/3',
  '5f00::/16',
  'fc00::/7',
  'fd00:ec2::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** The first, a middle and the last address of a block, by arithmetic of its own and not that of the code under test. */
export const threeOf = (block: string): string[] => {
  const [text = '', bits = ''] = block.split('/')
  const isShort = isIPv4(text)
  const width = isShort ? 32n : 128n
  const start = isShort ? ipv4Number(text) : ipv6Number(text)
  const size = 1n << (width - BigInt(bits))
  return [start, start + size / 2n, start + size - 1n].map(isShort ? ipv4Text : ipv6Text)
}

export const ipv4Number = (text: string): bigint =>
  text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)

const ipv4Text = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')

/** Lets the platform's URL parser expand the text; only the sums are ours. */
const ipv6Number = (text: string): bigint => {
  const [head = '', tail = ''] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n)
}

const ipv6Text = (value: bigint): string =>
  [7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n].map((at) => ((value >> (at * 16n)) & 0xffffn).toString(16)).join(':')
