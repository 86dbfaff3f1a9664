import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildEmbedder } from '../../../../src/platform/embedder/child-embedder.ts'
import {
  DEFAULT_CALIBRATION,
  readGolden,
  readModelFiles,
} from '../../../../src/platform/embedder/model-files.ts'
import { copyModel, MODEL_DIR, SEARCH, startEmbedder } from '../../../platform/embedder/bundled.ts'
import { encodeJpeg } from '../../../platform/embedder/pictures.ts'

const running: ChildEmbedder[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((embedder) => embedder.close()))
})
const start = (options: Parameters<typeof startEmbedder>[0]) => {
  const started = startEmbedder(options)
  running.push(started.embedder)
  return started
}

const patchJson = (path: string, change: (json: Record<string, unknown>) => void) => {
  const json = JSON.parse(readFileSync(path, 'utf8'))
  change(json)
  writeFileSync(path, JSON.stringify(json))
}

describe('the self-test', () => {
  test('a model whose pictures come out otherwise than expected is `failed`, with the name of the picture', async () => {
    using copy = copyModel()
    const golden = readGolden(copy.dir)
    if (!golden?.pictures[0] || !golden.pictures[1]) throw new Error('The golden file has too few pictures')
    golden.pictures[0].vector = golden.pictures[1].vector
    writeFileSync(join(copy.dir, 'golden.json'), JSON.stringify(golden))
    const { embedder } = start({ modelDir: copy.dir })
    const status = await embedder.settled()
    expect(status.state).toBe('failed')
    expect(JSON.stringify(status)).toContain(golden.pictures[0].name)
  }, 60_000)

  test('so is one whose texts do', async () => {
    using copy = copyModel()
    const golden = readGolden(copy.dir)
    if (!golden?.texts[0] || !golden.texts[1]) throw new Error('The golden file has too few texts')
    golden.texts[1].vector = golden.texts[0].vector
    writeFileSync(join(copy.dir, 'golden.json'), JSON.stringify(golden))
    const { embedder } = start({ modelDir: copy.dir })
    expect(JSON.stringify(await embedder.settled())).toContain(golden.texts[1].text)
  }, 60_000)

  test('pictures treated with the wrong mean do not pass', async () => {
    using copy = copyModel()
    patchJson(join(copy.dir, 'preprocessor_config.json'), (json) => {
      json['image_mean'] = [0.2, 0.2, 0.2]
    })
    const { embedder } = start({ modelDir: copy.dir })
    expect((await embedder.settled()).state).toBe('failed')
  }, 60_000)

  test('weights that cannot be read make it `failed`', async () => {
    using copy = copyModel()
    writeFileSync(join(copy.dir, 'onnx', 'vision_model_quantized.onnx'), 'not a model')
    const { embedder } = start({ modelDir: copy.dir })
    expect((await embedder.settled()).state).toBe('failed')
  }, 60_000)
})

describe('a model folder without our own files', () => {
  test('works without golden.json and calibration.json, and both are warned of', async () => {
    using copy = copyModel()
    rmSync(join(copy.dir, 'golden.json'))
    rmSync(join(copy.dir, 'calibration.json'))
    const { embedder, log } = start({ modelDir: copy.dir })
    expect(await embedder.settled()).toEqual({ state: 'ready' })
    expect(embedder.calibration).toEqual(DEFAULT_CALIBRATION)
    expect(log.filter((line) => /calibration\.json|golden\.json/.test(line)).length).toBe(2)
    expect((await embedder.embedPicture(await encodeJpeg(100, 100), SEARCH)).vector.length).toBe(512)
  }, 60_000)

  test('a folder that is none is an error at once', () => {
    expect(() => startEmbedder({ modelDir: join(MODEL_DIR, 'onnx') })).toThrow()
  })

  test('a broken calibration is an error at once', () => {
    using copy = copyModel()
    writeFileSync(join(copy.dir, 'calibration.json'), '{"image_image":{"midpoint":0.5,"slope":-3}}')
    expect(() => readModelFiles(copy.dir)).toThrow()
  })
})

describe('the fingerprint', () => {
  test('is the same for a copy of the folder, but for the name', () => {
    using copy = copyModel()
    expect(readModelFiles(copy.dir).fingerprint).toEqual({
      ...readModelFiles(MODEL_DIR).fingerprint,
      id: 'copied-model',
    })
  })

  test.each(['config.json', 'preprocessor_config.json', 'tokenizer.json', 'onnx/text_model_quantized.onnx'])(
    'changes with %s',
    (name) => {
      using copy = copyModel()
      const path = join(copy.dir, name)
      writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('\n')]))
      expect(readModelFiles(copy.dir).fingerprint.hash).not.toBe(readModelFiles(MODEL_DIR).fingerprint.hash)
    },
  )

  test('does not change with calibration.json: scores change, vectors do not', () => {
    using copy = copyModel()
    rmSync(join(copy.dir, 'calibration.json'))
    expect(readModelFiles(copy.dir).fingerprint.hash).toBe(readModelFiles(MODEL_DIR).fingerprint.hash)
  })
})
