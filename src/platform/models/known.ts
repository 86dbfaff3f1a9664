/** A file of a known model, below its folder and below its repository. */
export interface KnownFile {
  path: string
  /** The exact length where the hash is known; else the most that is downloaded. */
  bytes: number
  /** Null where nobody could confirm it. */
  sha256: string | null
}

/** A model that `lookalike model fetch NAME` downloads. */
export interface KnownModel {
  name: string
  /** `owner/name` on the hub. */
  repository: string
  /** The full commit that the files are taken from; null while no commit with the files is known. */
  revision: string | null
  files: readonly KnownFile[]
  /** As the repository of the weights states it. */
  license: string
  /** Of all files; about, where they are unconfirmed. */
  bytes: number
  dimension: number
  /**
   * What the weights and the work of its processes take in memory, about. Like the two below it was measured with random
   * weights of the same shape, in 2026, on two cores of an AMD EPYC with AVX2 and VNNI.
   */
  memoryBytes: number
  /** For one of many pictures, decoding included, with both cores; the bundled model takes 9 ms. */
  pictureMs: number
  /** For a few words, with one core; the bundled model takes 0.7 ms. */
  textMs: number
  /** One sentence on whom it suits. */
  suits: string
  /** ISO 639-1 codes of the languages in which its text model understands product words. */
  languages: readonly string[]
  /** `confirmed`: the hash of each file was found in two independent places; `unconfirmed` needs the operator's trust. */
  status: 'confirmed' | 'unconfirmed'
}

type Row = Omit<KnownModel, 'bytes'> & Partial<Pick<KnownModel, 'bytes'>>

const MB = 1_000_000

const CLIP_TOKENIZER_CONFIG: KnownFile = {
  path: 'tokenizer_config.json',
  bytes: 775,
  sha256: '60ba2912bc6344c94bc16bbdec27fa1209409167b6f2fdf3cfe9e65462ea3967',
}

const CLIP_PREPROCESSOR: KnownFile = {
  path: 'preprocessor_config.json',
  bytes: 520,
  sha256: '6f638fb9401a6d6296feff533ee7efe657b787c49f954f82f5906b36ef2a1b1f',
}

/** The tokenizer of the ViT-B/16 export, which the one of MobileCLIP contains byte for byte. */
const CLIP_TOKENIZER: KnownFile = {
  path: 'tokenizer.json',
  bytes: 2_224_081,
  sha256: '72ed5c96db5729294468543e4bc75fce14ca63f58e37300290189ba1c1e52b85',
}

/** The most that an unconfirmed file may take; the hub's listing says how long it is. */
const unconfirmed = (path: string, bytes: number): KnownFile => ({ path, bytes, sha256: null })

const ROWS: readonly Row[] = [
  {
    // Confirmed: downloaded from the hub for this project, and pinned alike by public projects (Muse, model list of its
    // semantic search: all six files; Hugging Face's own page of onnx/text_model_quantized.onnx).
    name: 'clip-vit-base-patch32',
    repository: 'Xenova/clip-vit-base-patch32',
    revision: 'd15189d7028b43f1d3e65039190477f6af591c2a',
    files: [
      {
        path: 'config.json',
        bytes: 4_524,
        sha256: '493ef57ff783e42d1530c91b53469b7fdf8db8a9c1408e86998fcb7899a4f495',
      },
      CLIP_PREPROCESSOR,
      CLIP_TOKENIZER_CONFIG,
      {
        path: 'tokenizer.json',
        bytes: 2_224_119,
        sha256: 'f7f3b7af117d467b58374797691a6438d3e6b9e9cef800dfd5dced7f697a90cd',
      },
      {
        path: 'onnx/text_model_quantized.onnx',
        bytes: 64_504_507,
        sha256: '73baab855d406190da9faa498cfedf65f15cf309f4cc7385b7b032e6d08e5c3a',
      },
      {
        path: 'onnx/vision_model_quantized.onnx',
        bytes: 89_117_001,
        sha256: '583fd1110a514667812fee7d684952aaf82a99b959760c8d7dca7e0ab9839299',
      },
    ],
    license: 'MIT',
    dimension: 512,
    memoryBytes: 360 * MB,
    pictureMs: 40,
    textMs: 7,
    suits: 'Any shop on a small machine: the first step up from the bundled model, at the lowest cost.',
    languages: ['en'],
    status: 'confirmed',
  },
  {
    // Confirmed: the Git LFS pointers of pbochynski/photospace, and a list of hashes in a gallery for the desktop that names
    // the same commit (six files); thumbgenius pins three of them.
    name: 'clip-vit-base-patch16',
    repository: 'Xenova/clip-vit-base-patch16',
    revision: '342fdf2f67aded64d138ff074745fb4a5d2bba5f',
    files: [
      {
        path: 'config.json',
        bytes: 4_523,
        sha256: '854ce4599422a24841d34a129de5b28c092f7175db3db4a23ad965c8fda87cf0',
      },
      CLIP_PREPROCESSOR,
      CLIP_TOKENIZER_CONFIG,
      CLIP_TOKENIZER,
      {
        path: 'onnx/text_model_quantized.onnx',
        bytes: 64_504_507,
        sha256: '9106b51e6c663a56b99182ec617c2b3d53577b037e7e24a7717eb78048a0c97a',
      },
      {
        path: 'onnx/vision_model_quantized.onnx',
        bytes: 87_461_602,
        sha256: '44eece4fe5fe4e0359a88268a327adf758633a1aade3917690b952bef1501f96',
      },
    ],
    license: 'MIT',
    dimension: 512,
    memoryBytes: 330 * MB,
    pictureMs: 150,
    textMs: 8,
    suits:
      'Shops whose products differ in small details, such as patterns and prints, and whose machine has time to index.',
    languages: ['en'],
    status: 'confirmed',
  },
  {
    // Confirmed: the asset list of Leanlet and the setup of a browser extension, both at this commit (six files).
    // The picture model is the one in full precision: four public projects measured that the 8-bit one ranks pictures
    // badly, to the point of chance.
    name: 'mobileclip-s0',
    repository: 'Xenova/mobileclip_s0',
    revision: '757d59c9c6870a76a4b0306f05f5061bca15c39f',
    files: [
      {
        path: 'config.json',
        bytes: 344,
        sha256: '8e33c1f2634a33de3e38715f9809ef86742aacbe31c310c66fc2636755458d56',
      },
      {
        path: 'preprocessor_config.json',
        bytes: 382,
        sha256: 'b031f09fbd69e22a605b6cc7433993249ee893b7fc1b79321f669cd015493dd4',
      },
      {
        path: 'tokenizer_config.json',
        bytes: 763,
        sha256: 'a7d9d24f248071b792e4a3b56ab0539c2f40eec8da56d6fd91fb3a50058acebd',
      },
      CLIP_TOKENIZER,
      {
        path: 'onnx/text_model_quantized.onnx',
        bytes: 42_799_238,
        sha256: 'b8557b10e5c23a0126c6d2e6eba48d240484979007917d128953b31618a04211',
      },
      {
        path: 'onnx/vision_model.onnx',
        bytes: 45_543_630,
        sha256: '17d3c037b1d488c10c50e09f6009ea5a198caef4e0e8f4ea5617b7cb2d067ac0',
      },
    ],
    license: 'Apple’s own (apple-amlr)',
    dimension: 512,
    memoryBytes: 320 * MB,
    pictureMs: 40,
    textMs: 25,
    suits:
      'Trials on small machines: Apple’s licence speaks of research, so read it before you sell with it.',
    languages: ['en'],
    status: 'confirmed',
  },
  {
    // Confirmed: the model lists of Mosaic, of a lost-and-found site (mju-lost-found), of an image manager and of a search
    // for footage at this commit; each file stands in at least two of them.
    name: 'siglip-base-patch16-224',
    repository: 'Xenova/siglip-base-patch16-224',
    revision: '4649052661e53c7000355844105f8a1792088239',
    files: [
      {
        path: 'config.json',
        bytes: 457,
        sha256: 'e6de71291f181b0b81adc93098787bb4597a79dc18f59737feda8f41671fb6a2',
      },
      {
        path: 'preprocessor_config.json',
        bytes: 368,
        sha256: '21ee046a8a52a65e5f9c177bf840bfb39ea66c9c54cf2760630efd58e0a3ec80',
      },
      {
        path: 'tokenizer_config.json',
        bytes: 739,
        sha256: '9a38d3c6b5e26fe5dcc607eda95e38d78d30d9291835bb9e8116e8174c1d4ba2',
      },
      {
        path: 'tokenizer.json',
        bytes: 2_398_744,
        sha256: '4a17c975210be5ab4c36b47d8dae4eefb866dbfb1e676e394aad85dc30a3ae08',
      },
      {
        path: 'onnx/text_model_quantized.onnx',
        bytes: 111_475_220,
        sha256: 'ad0329b1f35acc66d8953ff2559ce358da8eb0a7011794cf951523d63a4dbce2',
      },
      {
        path: 'onnx/vision_model_quantized.onnx',
        bytes: 99_499_129,
        sha256: 'ef14a954f3d57e1806666432bd9785004c1dc27100aa260eee0cb0f10a5de058',
      },
    ],
    license: 'Apache-2.0',
    dimension: 768,
    memoryBytes: 480 * MB,
    pictureMs: 150,
    textMs: 80,
    suits:
      'Shops with many kinds of products that are searched with words; the best general model of this list.',
    languages: ['en'],
    status: 'confirmed',
  },
  {
    // The commit is pinned by five public projects; the hashes of the 8-bit files stand in none that could be reached.
    name: 'marqo-fashionsiglip',
    repository: 'Marqo/marqo-fashionSigLIP',
    revision: 'c56244cc94f92419e8369fa71efdaf403b124ce8',
    files: [
      unconfirmed('config.json', 0.1 * MB),
      unconfirmed('preprocessor_config.json', 0.1 * MB),
      unconfirmed('tokenizer_config.json', 0.1 * MB),
      unconfirmed('tokenizer.json', 3 * MB),
      unconfirmed('onnx/text_model_quantized.onnx', 150 * MB),
      unconfirmed('onnx/vision_model_quantized.onnx', 150 * MB),
    ],
    bytes: 213 * MB,
    license: 'Apache-2.0',
    dimension: 768,
    memoryBytes: 480 * MB,
    pictureMs: 150,
    textMs: 80,
    suits: 'Shops that sell clothes, shoes and accessories.',
    languages: ['en'],
    status: 'unconfirmed',
  },
  {
    // Its repository had no ONNX files at the newest commit that could be looked at (6854090a, November 2024).
    name: 'marqo-ecommerce-b',
    repository: 'Marqo/marqo-ecommerce-embeddings-B',
    revision: null,
    files: [
      unconfirmed('config.json', 0.1 * MB),
      unconfirmed('preprocessor_config.json', 0.1 * MB),
      unconfirmed('tokenizer_config.json', 0.1 * MB),
      unconfirmed('tokenizer.json', 3 * MB),
      unconfirmed('onnx/text_model_quantized.onnx', 150 * MB),
      unconfirmed('onnx/vision_model_quantized.onnx', 150 * MB),
    ],
    bytes: 213 * MB,
    license: 'Apache-2.0',
    dimension: 768,
    memoryBytes: 480 * MB,
    pictureMs: 150,
    textMs: 80,
    suits:
      'Shops and marketplaces with goods of every kind; it was trained on pictures and titles of products.',
    languages: ['en'],
    status: 'unconfirmed',
  },
]

/** The models that the program knows by name, from the smallest step up to the most special. */
export const KNOWN_MODELS: readonly KnownModel[] = ROWS.map((row) => ({
  ...row,
  bytes: row.bytes ?? row.files.reduce((sum, { bytes }) => sum + bytes, 0),
}))
