import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type * as Nodemailer from 'nodemailer'
import type Stripe from 'stripe'
import { STRIPE_SWAPS } from '../../scripts/build/stripe.ts'
import { createSwapPlugin } from '../../scripts/build/swap-plugin.ts'
import { UNUSED_SWAPS } from '../../scripts/build/unused.ts'

const ROOT = join(import.meta.dir, '../..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'left-out-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Loads a package as the executable has it. */
async function load(name: string): Promise<unknown> {
  const swaps = [...STRIPE_SWAPS, ...UNUSED_SWAPS]
  const { success } = await Bun.build({
    entrypoints: [Bun.resolveSync(name, ROOT)],
    target: 'bun',
    outdir: folder,
    naming: `${name}.js`,
    plugins: [createSwapPlugin(swaps)],
  })
  expect(success).toBe(true)
  return import(join(folder, `${name}.js`))
}

test("what is left of Stripe's library has every call of the program, and little more", async () => {
  const { default: Library } = (await load('stripe')) as { default: typeof Stripe }
  const stripe: Record<string, unknown> = { ...new Library('sk_test_none') }
  const source = readFileSync(join(ROOT, 'src/platform/payments/stripe.ts'), 'utf8')
  const calls = [...source.matchAll(/\bstripe((?:\.\w+)+)\(/g)].map(([, path = '']) =>
    path.slice(1).split('.'),
  )
  expect(calls.length).toBeGreaterThan(4)
  for (const path of calls) {
    let found: unknown = stripe
    for (const part of path) found = (found as Record<string, unknown> | undefined)?.[part]
    expect(found, path.join('.')).toBeFunction()
  }
  expect(stripe).not.toHaveProperty('charges')
  expect(readFileSync(join(folder, 'stripe.js')).length).toBeLessThan(200_000)
  for (const [name] of source.matchAll(/(?<=Library\.errors\.)\w+/g))
    expect(Library.errors, name).toHaveProperty(name)
})

test('what is left of nodemailer writes a mail', async () => {
  const { createTransport } = (await load('nodemailer')) as typeof Nodemailer
  const sent = Promise.withResolvers<string>()
  const transport = createTransport({
    name: 'test',
    version: '1',
    send(mail, done) {
      new Response(mail.message.createReadStream() as Readable as unknown as ReadableStream)
        .text()
        .then(sent.resolve, sent.reject)
      done(null, { envelope: mail.message.getEnvelope(), messageId: '1' })
    },
  })
  await transport.sendMail({
    from: 'shop@shop.example',
    to: 'person@shop.example',
    subject: 'Grüße',
    text: 'Hello',
    html: '<p>Hello</p>',
  })
  const mail = await sent.promise
  expect(mail).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
  expect(mail).toContain('Content-Type: multipart/alternative')
  expect(mail).toContain('Content-Type: text/html')
})
