import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pictureBytes } from '../../../support/app.ts'
import { idsOf, openShop } from './shop.ts'

let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.app.close())

const RIGHT = { x: 0.5, y: 0, width: 0.5, height: 1 }
const LEFT = { x: 0, y: 0, width: 0.5, height: 1 }
const plain = { category_boost: 0 }

describe('POST /v1/search/crop (contract 3.3)', () => {
  test('searches with the part, and names picture and part', async () => {
    const found = await shop.search('crop', { image_url: shop.url(1, 2), crop: RIGHT, ...plain })
    expect(idsOf(found)[0]).toBe('lamp')
    expect(found.query_image).toEqual({
      image_id: String(found.image_id),
      width: 640,
      height: 480,
      crop: RIGHT,
    })
  })

  test('a moved box needs no second picture, and image_id alone means the whole', async () => {
    const { image_id } = await shop.search('crop', { image_url: shop.url(1, 2), crop: RIGHT, ...plain })
    const downloads = shop.app.downloads.length
    const moved = await shop.search('crop', { image_id, crop: LEFT, ...plain })
    expect([idsOf(moved)[0], moved.image_id]).toEqual(['mug', image_id])
    const whole = await shop.search('url', { image_id, ...plain })
    expect([idsOf(whole)[0], whole.query_image?.crop]).toEqual(['both', null])
    expect(shop.app.downloads).toHaveLength(downloads)
  })

  test('box and pixels say the same', async () => {
    const first = async (body: object) =>
      idsOf(await shop.search('crop', { image_url: shop.url(1, 2), ...plain, ...body }))[0]
    expect(await first({ box: [0.5, 0, 1, 1] })).toBe('lamp')
    const { image_id } = await shop.search('url', { image_url: shop.url(1, 2) })
    const pixels = { x: 320, y: 0, width: 320, height: 480, unit: 'pixel' }
    expect(idsOf(await shop.search('crop', { image_id, crop: pixels, ...plain }))[0]).toBe('lamp')
    expect(idsOf(await shop.search('crop', { image_id, box: [320, 0, 640, 480], ...plain }))[0]).toBe('lamp')
  })

  test('as a form, and with an upload or the picture of a product', async () => {
    const form = () => {
      const body = new FormData()
      body.append('image', new Blob([pictureBytes(1, 2)]), 'p.jpg')
      body.append('crop', JSON.stringify(RIGHT))
      body.append('category_boost', '0')
      return body
    }
    expect(idsOf(await shop.search('crop', form()))[0]).toBe('lamp')
    const { body } = await shop.app.call('POST', '/v1/search', { token: shop.token, body: form() })
    expect(body['results']).toMatchObject([{ product_id: 'lamp' }, {}, {}, {}, {}, {}])
    const ofProduct = await shop.search('crop', { product_id: 'both', crop: LEFT, ...plain })
    expect(idsOf(ofProduct)).not.toContain('both')
    expect(idsOf(ofProduct)[0]).toBe('mug')
  })

  test.each([
    [{}, 'validation_error', '/crop'],
    [{ crop: RIGHT, box: [0, 0, 1, 1] }, 'validation_error', '/box'],
    [{ box: [0.5, 0, 0.2, 1] }, 'validation_error', '/box'],
    [{ box: [0, 0, 1] }, 'validation_error', '/box'],
    [{ crop: { x: 0, y: 0, width: 1 } }, 'validation_error', '/crop/height'],
    [{ crop: { ...RIGHT, unit: 'inch' } }, 'validation_error', '/crop/unit'],
    [{ crop: { ...RIGHT, width: -1 } }, 'validation_error', '/crop/width'],
    [{ crop: RIGHT, padding: 0.6 }, 'validation_error', '/padding'],
  ])('422: %j', async (fields, code, pointer) => {
    const { status, body } = await shop.call('crop', { image_url: shop.url(1, 2), ...fields })
    const { errors } = body['details'] as { errors: { pointer: string }[] }
    expect([status, body['error'], errors[0]?.pointer]).toEqual([422, code, pointer])
  })

  test('422 for a part of a vector, or padding without a part; 404 for a forgotten picture', async () => {
    const vector = [1, 0, 0, 0, 0, 0, 0, 0]
    expect((await shop.call('url', { vector, crop: RIGHT })).body).toMatchObject({
      error: 'validation_error',
    })
    const { status } = await shop.call('url', { image_url: shop.url(1), padding: 0.1 })
    expect(status).toBe(422)
    expect((await shop.call('crop', { image_id: 'none', crop: RIGHT })).status).toBe(404)
  })
})
