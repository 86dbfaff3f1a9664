import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'

export const BackupCopy = named(
  'BackupCopy',
  t.Object({
    state: oneOf(
      ['waiting', 'sending', 'copied', 'failed'],
      '`copied`: the other place has confirmed size and SHA-256. `failed`: it is tried again.',
    ),
    progress: t.Number({ minimum: 0, maximum: 1 }),
    copied_at: MomentOrNull,
    address: t.Union([t.String(), t.Null()], {
      description: 'Where it lies, as `lookalike restore` takes it.',
    }),
    bytes: t.Union([Type.Integer(), t.Null()], { description: 'Of the encrypted file.' }),
    sha256: t.Union([t.String(), t.Null()], { description: 'Of the encrypted file, in hex.' }),
    error: t.Union([t.String(), t.Null()], { description: 'Why it failed, in words for the operator.' }),
  }),
)
export type BackupCopy = typeof BackupCopy.static

export const Backup = named(
  'Backup',
  t.Object({
    id: t.String(),
    state: oneOf(
      ['running', 'completed', 'failed'],
      '`completed`: the file was written, opened and tried. `failed`: there is no file.',
    ),
    started_by: oneOf(
      ['schedule', 'operator', 'command'],
      'The service by itself, a super-admin, or `lookalike backup`.',
    ),
    step: t.Union([oneOf(['copying', 'packing', 'trying']), t.Null()], {
      description: 'What a running one does; null before it begins and after it has ended.',
    }),
    progress: t.Number({ minimum: 0, maximum: 1 }),
    started_at: Moment,
    finished_at: MomentOrNull,
    made_at: t.Union([Moment, t.Null()], {
      description: 'The moment whose state it holds; null unless it is completed.',
    }),
    file: t.String({ description: 'Path on the machine of the service.' }),
    is_there: t.Boolean({ description: 'Whether the file still lies there in its full size.' }),
    bytes: t.Union([Type.Integer(), t.Null()]),
    sha256: t.Union([t.String(), t.Null()], { description: 'Of the whole file, in hex.' }),
    has_secrets: t.Boolean({
      description: 'Whether the keys of the install are in it, without which sealed values cannot be read.',
    }),
    counts: t.Union([t.Record(t.String(), Type.Integer()), t.Null()], {
      description: 'Rows of some tables, and `vectors`; null unless it is completed.',
      examples: [{ stores: 1, users: 2, products: 40, vectors: 40 }],
    }),
    error: t.Union([t.String(), t.Null()], { description: 'Why it failed, in words for the operator.' }),
    copy: t.Union([BackupCopy, t.Null()], {
      description: 'Its encrypted copy elsewhere; null where none is wanted.',
    }),
  }),
)
export type Backup = typeof Backup.static

export const BackupQuery = t.Object(pageQuery({ default: 50, maximum: 100 }))
export type BackupQuery = typeof BackupQuery.static

export const BackupList = named(
  'BackupList',
  t.Object({
    backups: t.Array(Backup, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Backups on this page.' }),
    ...PAGE_END,
    schedule: t.Object({
      every_hours: Type.Integer({
        description: 'By `BACKUP_EVERY_H`; 0 when the service makes none by itself.',
      }),
      keep: Type.Integer({ description: 'By `BACKUP_KEEP`.' }),
      folder: t.String({ description: 'By `BACKUP_DIR`.' }),
      next_at: t.Union([Moment, t.Null()], {
        description: 'When the next one is due; null without a schedule.',
      }),
    }),
    copies: t.Union(
      [
        t.Object({
          to: t.String({ description: 'By `BACKUP_TO`.' }),
          keep: Type.Integer({ description: 'By `BACKUP_TO_KEEP`.' }),
          has_key: t.Boolean({
            description: 'Whether `lookalike backup key` has made a key; without one nothing is sent.',
          }),
          last_at: t.Union([Moment, t.Null()], {
            description: 'The moment whose state the newest copy holds.',
          }),
          warning: t.Union([t.String(), t.Null()], {
            description: 'What is wrong with the copies; null if nothing.',
          }),
        }),
        t.Null(),
      ],
      { description: 'The copies elsewhere; null where `BACKUP_TO` is empty.' },
    ),
    last_good_at: t.Union([Moment, t.Null()], {
      description: 'The moment whose state the newest good backup holds.',
    }),
    warning: t.Union([t.String(), t.Null()], {
      description: 'What is wrong with the backups; null if nothing.',
    }),
  }),
)
export type BackupList = typeof BackupList.static
