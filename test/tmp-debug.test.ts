import { test } from 'bun:test'
import pino from 'pino'
import { arrive, createTarget, STORE } from './features/nodes/arrivals/world.ts'
test('x', async () => {
  const target = createTarget({ log: pino({ level: 'error' }) })
  const m = await arrive(target)
  console.log(m.body)
  console.log(await m.call('GET'))
  console.log((await m.sendRows(1, [])).body)
  console.log((await m.sendRows(2, [{ t: 'store_time_zones', del: { after: 1 } }])).body)
  console.log((await m.call('POST', '/index')).body)
  console.log((await m.call('POST', '/digest')).body)
  console.log((await m.call('POST', '/search', { body: { query: 'a', limit: 3 } })).body)
  console.log((await m.call('POST', '/open')).body, target.storeRows.findStore(STORE))
  console.log((await m.call('DELETE')).body)
})
