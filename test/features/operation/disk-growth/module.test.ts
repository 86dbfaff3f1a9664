import { expect, test } from 'bun:test'
import { installQueries } from '../../../../src/commands/doctor/install-queries.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/core/clock.ts'
import { testApp } from '../../../support/app.ts'

test('how full the disk is gets remembered once a day, for a month', async () => {
  let share = 0.9
  let readings = 0
  const app = testApp({
    async readFreeDiskShare() {
      readings++
      return share
    },
  })
  const chore = app.chores.find(({ name }) => name === 'remembering how full the disk is')
  const { listDiskSamples } = installQueries(app.db)
  const first = Math.floor(app.clock.now() / DAY_MS)
  await chore?.run()
  share = 0.8
  app.clock.advance(HOUR_MS)
  await chore?.run()
  expect(listDiskSamples()).toEqual([{ day: first, freeShare: 0.9 }])
  expect(readings).toBe(1)
  for (let day = 1; day <= 40; day++) {
    app.clock.advance(DAY_MS)
    await chore?.run()
  }
  const days = listDiskSamples()
  expect(days).toHaveLength(31)
  expect(days[0]).toEqual({ day: first + 10, freeShare: 0.8 })
  await app.close()
})
