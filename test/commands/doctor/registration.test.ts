import { expect, test } from 'bun:test'
import { findRegistrationDoubts } from '../../../src/commands/doctor/registration.ts'
import { loadConfig } from '../../../src/config.ts'

const about = (BASE_URL: string, REGISTRATION: string) =>
  findRegistrationDoubts(loadConfig({ BASE_URL, REGISTRATION }))

test.each(['https://search.shop.example', 'http://93.184.215.14:8080', 'https://[2606:4700::1111]'])(
  'warns that strangers may open stores at %s',
  (address) => {
    expect(about(address, 'open')).toEqual([expect.stringContaining('REGISTRATION=invite')])
    for (const mode of ['', 'invite', 'closed']) expect(about(address, mode)).toEqual([])
  },
)

test.each([
  ...['', 'http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://192.168.1.4'],
  ...['http://nas', 'https://search.fritz.local', 'http://search.internal:8080'],
])('says nothing about %j', (address) => {
  expect(about(address, 'open')).toEqual([])
})
