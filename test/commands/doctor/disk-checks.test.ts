import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDisk, checkDiskSpeed, countDaysLeft } from '../../../src/commands/doctor/disk-checks.ts'
import { DAY_MS } from '../../../src/core/clock.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the room on the disk', () => {
  test('is enough for nothing, and not for everything', async () => {
    expect((await checkDisk(join(folder, 'not there'), 0)).text).toMatch(/^\d+ MB are free/)
    expect(await checkDisk(folder, 2 ** 60)).toMatchObject({
      state: 'error',
      text: expect.stringContaining('the next start unpacks'),
    })
  })

  test('lasts for as long as it takes to fall to the last twentieth, at the pace since the oldest sample', () => {
    const samples = [
      { day: 100, freeShare: 0.65 },
      { day: 110, freeShare: 0.2 },
    ]
    // 0.4 in 20 days, and 0.2 are left above 0.05.
    expect(countDaysLeft(samples, 0.25, 120 * DAY_MS)).toBeCloseTo(10, 9)
  })

  test.each([
    ['nothing is known', [], 0.5],
    ['the disk does not fill', [{ day: 100, freeShare: 0.5 }], 0.5],
    ['it was emptied', [{ day: 100, freeShare: 0.1 }], 0.5],
    ['the first sample is of today', [{ day: 120, freeShare: 0.9 }], 0.5],
  ])('is not foretold where %s', (_, samples, share) => {
    expect(countDaysLeft(samples, share, 120.5 * DAY_MS)).toBeUndefined()
  })
})

describe('the speed of the disk', () => {
  test('is measured with a file that is then deleted', () => {
    let now = 0
    // 16.8 MB in 100 ms; 20 waits in 100 ms.
    expect(checkDiskSpeed(folder, () => (now += 100))).toMatchObject({
      name: 'disk-speed',
      state: 'ok',
      text: 'The disk writes 168 MB a second, and a wait for it takes 5.0 ms',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('is measured again after a doctor that was killed', () => {
    writeFileSync(join(folder, 'doctor.tmp'), 'left behind')
    expect(checkDiskSpeed(folder, () => 0).name).toBe('disk-speed')
    expect(readdirSync(folder)).toEqual([])
  })

  test('is too low for a shared folder of a slow network', () => {
    let now = 0
    expect(checkDiskSpeed(folder, () => (now += 2_000)).state).toBe('warning')
  })

  test('cannot be measured where nothing can be written', () => {
    expect(checkDiskSpeed(join(folder, 'none'), () => 0)).toMatchObject({
      state: 'error',
      text: expect.stringContaining('ENOENT'),
    })
  })
})
