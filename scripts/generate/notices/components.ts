/** A full licence text in `licences/`. */
export type LicenceName =
  | 'Apache-2.0'
  | 'BSD-2-Clause'
  | 'BSD-3-Clause'
  | 'BSL-1.0'
  | 'GPL-3.0'
  | 'ISC'
  | 'LGPL-2.0'
  | 'LGPL-2.1'
  | 'LGPL-3.0'
  | 'MIT'
  | 'MPL-1.1'
  | 'MPL-2.0'
  | 'Zlib'

/** Something that the executable contains and that is no npm package with a licence file of its own. */
export interface Component {
  name: string
  /** As its authors name it, mostly in SPDX. */
  licence: string
  /** Full texts that it asks for; they stand once, at the end. */
  licences?: readonly LicenceName[]
  /** Copyright lines. */
  copyright?: readonly string[]
  /** A file in `libraries/` with its notices. */
  file?: string
}

/** The LGPL asks for its own text and for that of the GPL, which it refers to. */
const LGPL_3: readonly LicenceName[] = ['LGPL-3.0', 'GPL-3.0']

/**
 * The libraries inside libvips, by their key in the `versions.json` of its package.
 *
 * sharp distributes those under the LGPL by the "any later version" clause under version 3.
 */
export const LIBVIPS: Readonly<Record<string, Component>> = {
  aom: { name: 'aom', licence: 'BSD-2-Clause and Alliance for Open Media Patent License 1.0', file: 'aom' },
  archive: { name: 'libarchive', licence: 'BSD-2-Clause', file: 'archive' },
  cairo: { name: 'cairo', licence: 'MPL-1.1', licences: ['MPL-1.1'], file: 'cairo' },
  cgif: { name: 'cgif', licence: 'MIT', file: 'cgif' },
  exif: { name: 'libexif', licence: 'LGPL-3.0', licences: LGPL_3, file: 'exif' },
  expat: { name: 'expat', licence: 'MIT', file: 'expat' },
  ffi: { name: 'libffi', licence: 'MIT', file: 'ffi' },
  fontconfig: { name: 'fontconfig', licence: 'fontconfig License', file: 'fontconfig' },
  freetype: { name: 'freetype', licence: 'FreeType License', file: 'freetype' },
  fribidi: { name: 'fribidi', licence: 'LGPL-3.0', licences: LGPL_3, file: 'fribidi' },
  glib: { name: 'glib', licence: 'LGPL-3.0', licences: LGPL_3, file: 'glib' },
  harfbuzz: { name: 'harfbuzz', licence: 'MIT', file: 'harfbuzz' },
  heif: { name: 'libheif', licence: 'LGPL-3.0', licences: LGPL_3, file: 'heif' },
  highway: {
    name: 'highway',
    licence: 'Apache-2.0 or BSD-3-Clause',
    licences: ['Apache-2.0'],
    file: 'highway',
  },
  imagequant: { name: 'libimagequant (fork of sharp)', licence: 'BSD-2-Clause', file: 'imagequant' },
  lcms: { name: 'lcms', licence: 'MIT', file: 'lcms' },
  mozjpeg: {
    name: 'mozjpeg',
    licence: 'Zlib, IJG and BSD-3-Clause',
    copyright: ['This software is based in part on the work of the Independent JPEG Group.'],
    file: 'jpeg-turbo',
  },
  pango: { name: 'pango', licence: 'LGPL-3.0', licences: LGPL_3, file: 'pango' },
  pixman: { name: 'pixman', licence: 'MIT', file: 'pixman' },
  png: { name: 'libpng', licence: 'libpng License', file: 'png' },
  'proxy-libintl': {
    name: 'proxy-libintl',
    licence: 'LGPL-3.0',
    licences: LGPL_3,
    copyright: ['Copyright (C) 2008 Tor Lillqvist'],
  },
  rsvg: { name: 'librsvg', licence: 'LGPL-3.0', licences: LGPL_3, file: 'rsvg' },
  tiff: { name: 'libtiff', licence: 'libtiff License', file: 'tiff' },
  uhdr: { name: 'libultrahdr', licence: 'Apache-2.0', licences: ['Apache-2.0'], file: 'uhdr' },
  vips: {
    name: 'libvips (with libnsgif, MIT)',
    licence: 'LGPL-3.0',
    licences: [...LGPL_3, 'MIT'],
    copyright: ['libnsgif: Copyright 2004 Richard Wilson, 2008 Sean Fox, 2013-2022 Michael Drake'],
    file: 'vips',
  },
  webp: { name: 'libwebp', licence: 'BSD-3-Clause', file: 'webp' },
  xml2: { name: 'libxml2', licence: 'MIT', file: 'xml2' },
  'zlib-ng': {
    name: 'zlib-ng',
    licence: 'Zlib',
    licences: ['Zlib'],
    copyright: ['Copyright (C) 1995-2024 Jean-loup Gailly and Mark Adler'],
  },
}

/** What onnxruntime contains. */
export const ONNXRUNTIME: readonly Component[] = [
  { name: 'onnxruntime', licence: 'MIT', file: 'onnxruntime' },
  { name: 'abseil', licence: 'Apache-2.0', licences: ['Apache-2.0'], file: 'abseil' },
  {
    name: 'Boost.Mp11',
    licence: 'BSL-1.0',
    licences: ['BSL-1.0'],
    copyright: ['Copyright 2015-2024 Peter Dimov'],
  },
  { name: 'cpuinfo', licence: 'BSD-2-Clause', file: 'cpuinfo' },
  {
    name: 'cpp_client_telemetry (switched off)',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright (c) Microsoft Corporation'],
  },
  { name: 'date', licence: 'MIT', file: 'date' },
  {
    name: 'Dawn',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: [
      'Copyright 2017-2026 The Dawn & Tint Authors',
      'Copyright (c) 2019, "WebGPU native" developers',
    ],
  },
  { name: 'Eigen', licence: 'MPL-2.0', licences: ['MPL-2.0'], file: 'eigen' },
  { name: 'FlatBuffers', licence: 'Apache-2.0', licences: ['Apache-2.0'], file: 'flatbuffers' },
  { name: 'GSL', licence: 'MIT', file: 'gsl' },
  { name: 'JSON for Modern C++', licence: 'MIT', file: 'nlohmann-json' },
  { name: 'ONNX', licence: 'Apache-2.0', licences: ['Apache-2.0'], file: 'onnx' },
  { name: 'Protocol Buffers', licence: 'BSD-3-Clause', file: 'protobuf' },
  { name: 'RE2', licence: 'BSD-3-Clause', file: 're2' },
  { name: 'SafeInt', licence: 'MIT', file: 'safeint' },
  {
    name: 'SPIRV-Tools',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright (c) 2015-2026 The Khronos Group Inc. and contributors'],
  },
  { name: 'Vulkan headers', licence: 'Apache-2.0 or MIT', licences: ['Apache-2.0'], file: 'vulkan-headers' },
]

const LITESPEED = ['Copyright (c) 2017-2024 LiteSpeed Technologies Inc']
const UNETWORKING = ['Copyright (c) 2016-2024 Alex Hultman and contributors']

/** What the runtime contains that the executable is compiled into, besides Bun's own code. */
export const BUN: readonly Component[] = [
  { name: 'Bun', licence: 'MIT', licences: ['MIT'], copyright: ['Copyright (c) 2022 BUN'] },
  {
    name: 'JavaScriptCore, WTF and bmalloc of WebKit',
    licence: 'LGPL-2.0-or-later and BSD-2-Clause',
    licences: ['LGPL-2.0', 'LGPL-2.1'],
    file: 'javascriptcore',
  },
  { name: 'TinyCC', licence: 'LGPL-2.1', licences: ['LGPL-2.1'], file: 'tinycc' },
  {
    name: 'BoringSSL',
    licence: 'Apache-2.0, ISC, OpenSSL and SSLeay',
    licences: ['Apache-2.0', 'ISC'],
    file: 'boringssl',
  },
  { name: 'brotli', licence: 'MIT', file: 'brotli' },
  { name: 'c-ares', licence: 'MIT', file: 'c-ares' },
  { name: 'highway', licence: 'Apache-2.0', licences: ['Apache-2.0'], file: 'highway' },
  { name: 'ICU', licence: 'Unicode License', file: 'icu' },
  { name: 'libarchive', licence: 'BSD-2-Clause', file: 'archive' },
  {
    name: 'base64',
    licence: 'BSD-2-Clause',
    licences: ['BSD-2-Clause'],
    copyright: [
      'Copyright (c) 2005-2007, Nick Galbreath',
      'Copyright (c) 2015-2017, Wojciech Mula',
      'Copyright (c) 2016-2017, Matthieu Darbois',
      'Copyright (c) 2013-2022, Alfred Klomp',
    ],
  },
  { name: 'libdeflate', licence: 'MIT', file: 'libdeflate' },
  {
    name: 'libjpeg-turbo',
    licence: 'BSD-3-Clause, IJG and Zlib',
    copyright: ['This software is based in part on the work of the Independent JPEG Group.'],
    file: 'jpeg-turbo',
  },
  { name: 'libspng', licence: 'BSD-2-Clause', file: 'libspng' },
  { name: 'libwebp', licence: 'BSD-3-Clause', file: 'webp' },
  {
    name: '__cxa_thread_atexit of LLVM libc++abi',
    licence: 'Apache-2.0 with LLVM exception',
    licences: ['Apache-2.0'],
    copyright: ['The LLVM Project'],
  },
  {
    name: 'lol-html',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (C) 2019, Cloudflare, Inc.', 'Copyright (C) 2019, Ivan Nikulin'],
  },
  { name: 'ls-hpack, ls-qpack and lsquic', licence: 'MIT', licences: ['MIT'], copyright: LITESPEED },
  {
    name: 'parts of lsquic from Chromium',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright 2015 The Chromium Authors'],
  },
  { name: 'mimalloc', licence: 'MIT', file: 'mimalloc' },
  { name: 'picohttpparser', licence: 'MIT', file: 'picohttpparser' },
  { name: 'simdutf', licence: 'Apache-2.0 or MIT', licences: ['Apache-2.0'], file: 'simdutf' },
  { name: 'SQLite', licence: 'public domain', file: 'sqlite' },
  {
    name: 'code of TigerBeetle',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright TigerBeetle, Inc.'],
  },
  {
    name: 'uSockets and uWebSockets',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: UNETWORKING,
  },
  { name: 'uucode', licence: 'MIT', licences: ['MIT'], copyright: ['Copyright (c) Jacob Sandlund'] },
  {
    name: 'zlib-ng',
    licence: 'Zlib',
    licences: ['Zlib'],
    copyright: ['Copyright (C) 1995-2024 Jean-loup Gailly and Mark Adler'],
  },
  { name: 'zstd', licence: 'BSD-3-Clause', file: 'zstd' },
]

/** What Litestream and the libraries in it are, as its own list of modules names them. An executable has it if it was built with it. */
export const LITESTREAM: readonly Component[] = [
  {
    name: 'Litestream 0.3.13',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright Ben Johnson and the Litestream authors'],
  },
  {
    name: 'Go and its libraries golang.org/x',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2009 The Go Authors. All rights reserved.'],
  },
  {
    name: 'GNU C Library (linked statically)',
    licence: 'LGPL-2.1',
    licences: ['LGPL-2.1'],
    copyright: [
      'Copyright (C) The Free Software Foundation, Inc.',
      'The sources and the recipe of this build are the repository benbjohnson/litestream on GitHub, version 0.3.13. The setting LITESTREAM names a build of your own.',
    ],
  },
  {
    name: 'go-sqlite3 (with SQLite, public domain)',
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) 2014 Yasuhiro Matsumoto'],
  },
  {
    name: 'go-shellwords',
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) 2017 Yasuhiro Matsumoto'],
  },
  {
    name: 'go-ieproxy',
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) 2014 mattn', 'Copyright (c) 2017 oliverpool', 'Copyright (c) 2019 Adele Reed'],
  },
  {
    name: 'cloud.google.com/go',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright Google LLC'],
  },
  {
    name: 'age',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2019 The age Authors. All rights reserved.'],
  },
  {
    name: 'azure-pipeline-go and azure-storage-blob-go',
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) Microsoft Corporation. All rights reserved.'],
  },
  {
    name: 'aws-sdk-go',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: [
      'AWS SDK for Go',
      'Copyright 2015 Amazon.com, Inc. or its affiliates. All Rights Reserved.',
      'Copyright 2014-2015 Stripe, Inc.',
    ],
  },
  { name: 'perks', licence: 'MIT', licences: ['MIT'], copyright: ['Copyright (C) 2013 Blake Mizerany'] },
  { name: 'xxhash', licence: 'MIT', licences: ['MIT'], copyright: ['Copyright (c) 2016 Caleb Spare'] },
  {
    name: 'groupcache',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright 2013 Google Inc.'],
  },
  {
    name: 'golang/protobuf and google.golang.org/protobuf',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: [
      'Copyright 2010 The Go Authors. All rights reserved.',
      'Copyright (c) 2018 The Go Authors. All rights reserved.',
    ],
  },
  {
    name: 'go-cmp',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2017 The Go Authors. All rights reserved.'],
  },
  {
    name: 's2a-go and enterprise-certificate-proxy',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright Google LLC'],
  },
  {
    name: 'google/uuid',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2009,2014 Google Inc. All rights reserved.'],
  },
  {
    name: 'gax-go and google.golang.org/api',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: [
      'Copyright 2016, Google Inc. All rights reserved.',
      'Copyright (c) 2011 Google Inc. All rights reserved.',
    ],
  },
  {
    name: 'go-jmespath',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright 2015 James Saryerwinnie'],
  },
  {
    name: 'kr/fs',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2012 The Go Authors. All rights reserved.'],
  },
  {
    name: 'golang_protobuf_extensions',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright 2012 Matt T. Proud (matt.proud@gmail.com)'],
  },
  {
    name: 'lz4',
    licence: 'BSD-3-Clause',
    licences: ['BSD-3-Clause'],
    copyright: ['Copyright (c) 2015, Pierre Curto. All rights reserved.'],
  },
  {
    name: 'sftp',
    licence: 'BSD-2-Clause',
    licences: ['BSD-2-Clause'],
    copyright: ['Copyright (c) 2013, Dave Cheney. All rights reserved.'],
  },
  {
    name: 'client_golang, client_model, common and procfs of Prometheus',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: [
      'Copyright 2012-2015 The Prometheus Authors',
      'This product includes software developed at SoundCloud Ltd. (https://soundcloud.com/).',
    ],
  },
  {
    name: 'OpenCensus',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright OpenCensus Authors'],
  },
  {
    name: 'appengine, genproto and grpc',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright Google LLC', 'Copyright 2014 gRPC authors.'],
  },
  {
    name: 'yaml.v2',
    licence: 'Apache-2.0 and MIT',
    licences: ['Apache-2.0', 'MIT'],
    copyright: ['Copyright 2011-2016 Canonical Ltd.', 'Copyright (c) 2006-2010 Kirill Simonov'],
  },
]

/** Data that the model was made of and that asks to be named; its model card says more. */
export const DATA: readonly Component[] = [
  {
    name: 'vocabulary and merges of CLIP (tokenizer of the model)',
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) 2021 OpenAI'],
  },
  { name: 'WordNet (words that the model was trained with)', licence: 'WordNet License', file: 'wordnet' },
  {
    name: 'Open English WordNet (derived from WordNet)',
    licence: 'CC BY 4.0, https://creativecommons.org/licenses/by/4.0/',
    copyright: ['Copyright the Open English WordNet team'],
  },
  {
    name: 'MobileNetV2 (weights that the model started from, modified)',
    licence: 'Apache-2.0',
    licences: ['Apache-2.0'],
    copyright: ['Copyright Google LLC'],
  },
]

/** npm packages whose archive holds no licence text: what their `package.json` and repository say. */
export const PACKAGES: Readonly<Record<string, Omit<Component, 'name'>>> = {
  'onnxruntime-common': {
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) Microsoft Corporation'],
  },
  'onnxruntime-node': {
    licence: 'MIT',
    licences: ['MIT'],
    copyright: ['Copyright (c) Microsoft Corporation'],
  },
  saxes: {
    licence: 'ISC',
    licences: ['ISC', 'MIT'],
    copyright: [
      'Copyright (c) Contributors',
      'Copyright (c) Isaac Z. Schlueter and Contributors (sax)',
      'Copyright Mathias Bynens (String.fromCodePoint, MIT)',
    ],
  },
  'sqlite-vec': {
    licence: 'MIT or Apache-2.0',
    licences: ['MIT'],
    copyright: ['Copyright (c) 2024 Alex Garcia'],
  },
}
