import { describe, expect, test } from 'bun:test'
import { listDestinations } from '../../../src/commands/doctor/destinations.ts'
import { doctor } from '../../../src/commands/doctor.ts'
import { loadConfig } from '../../../src/config.ts'

const NOBODY = { feeds: [], webhooks: [] }
const list = (settings: Record<string, string>, named: Parameters<typeof listDestinations>[1] = NOBODY) =>
  listDestinations(loadConfig(settings), named).map(
    ({ what, where, setting }) => `${what}: ${where} (${setting})`,
  )

const ANYWHERE = [
  "names: the system's resolver (/etc/resolv.conf)",
  'pictures: any public host, ports 80 and 443 (OFFLINE=0)',
  'feeds: any public host, ports 80 and 443 (OFFLINE=0)',
  'webhooks: any public host, https on port 443 (OFFLINE=0)',
]

describe('what the settings let the service connect to', () => {
  test('as they come: public hosts that stores name', () => {
    expect(list({})).toEqual(ANYWHERE)
  })

  test('the servers that settings name, without their passwords', () => {
    const all = list({
      SMTP_URL: 'smtps://user:pass-word@mail.example.com',
      MAIL_FROM: 'a@b.example',
      STRIPE_SECRET_KEY: 'sk_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      BASE_URL: 'https://search.shop.example',
      FETCH_ALLOW_CIDRS: '10.0.0.0/8, 192.168.1.4/32',
      WEBHOOK_ALLOW_CIDRS: 'fd00::/8',
    })
    expect(all.slice(ANYWHERE.length)).toEqual([
      'pictures: 10.0.0.0/8, any port (FETCH_ALLOW_CIDRS)',
      'pictures: 192.168.1.4/32, any port (FETCH_ALLOW_CIDRS)',
      'webhooks: fd00::/8, any port (WEBHOOK_ALLOW_CIDRS)',
      'mail: mail.example.com:465 (SMTP_URL)',
      'payments: api.stripe.com:443 (STRIPE_SECRET_KEY)',
      'doctor: search.shop.example:443 (BASE_URL)',
    ])
  })

  test('copies of backups and the certificate, where these are set', () => {
    const copies = {
      ...loadConfig({}),
      BACKUP_TO: 's3://bucket/x',
      S3_REGION: 'eu-central-1',
      DOMAIN: 'a.example',
    }
    expect(listDestinations(copies, NOBODY).slice(ANYWHERE.length)).toMatchObject([
      { what: 'backups', where: 's3.eu-central-1.amazonaws.com:443' },
      { what: 'certificate', where: 'acme-v02.api.letsencrypt.org:443' },
    ])
    const nearby = { ...copies, BACKUP_TO: '/mnt/nas', DOMAIN: '' }
    expect(listDestinations(nearby, NOBODY)).toHaveLength(ANYWHERE.length)
  })

  test('the hosts of feeds and webhooks that are set up, each once and without what may be a key', () => {
    const all = list(
      {},
      {
        feeds: ['https://shop.example/a?key=1', 'https://shop.example/b', 'http://[2606:4700::1]:80/x'],
        webhooks: ['https://hooks.shop.example/secret'],
      },
    )
    expect(all.filter((line) => line.endsWith('(a store)'))).toEqual([
      'feeds: [2606:4700::1]:80 (a store)',
      'feeds: shop.example:443 (a store)',
      'webhooks: hooks.shop.example:443 (a store)',
    ])
  })

  test('offline: the networks that the settings allow, and nothing else', () => {
    const settings = {
      OFFLINE: '1',
      SMTP_URL: 'smtp://10.0.0.5',
      MAIL_FROM: 'a@b.example',
      BASE_URL: 'https://search.shop.example',
    }
    expect(list(settings, { feeds: ['https://shop.example/'], webhooks: [] })).toEqual([])
    expect(list({ ...settings, FETCH_ALLOW_CIDRS: '10.0.0.0/8' })).toEqual([
      'pictures: 10.0.0.0/8, any port (FETCH_ALLOW_CIDRS)',
    ])
  })
})

test.each(['FETCH_ALLOW_CIDRS', 'WEBHOOK_ALLOW_CIDRS'])(
  '%s that holds no network is refused, and not listed as one',
  async (setting) => {
    const config = loadConfig({ [setting]: '10.0.0.0/8, nonsense' })
    const asked = doctor.run({ config, options: { egress: true }, variables: [] } as unknown as Parameters<
      typeof doctor.run
    >[0])
    await expect(asked).rejects.toThrow('"nonsense" is not an address block')
  },
)
