import { describe, expect, it } from 'vitest'
import type { Migration } from '../src/database/migrate/migration.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { migrationIssues } from './support/migration-issues.ts'

// The rules apply only to later migrations. Earlier ones replaced tables, and their `requires` prevents earlier releases
// from running beside them.
const lastWithoutRules = '20261122000100-delivery-jobs'

const issuesOf = (statements: readonly string[], changes: Partial<Migration> = {}): string[] => {
  const migration = { name: '3', statements, ...changes }
  return migrationIssues(migration, [{ name: '1', statements: [] }, migration])
}

describe('every migration', () => {
  it.each(migrations.filter(({ name }) => name > lastWithoutRules))('can run beside the previous release: $name', (migration) => {
    expect(migrationIssues(migration, migrations)).toEqual([])
  })
})

describe('a migration', () => {
  it.each([
    'create table notes (id uuid not null, text text not null, constraint notes_unique unique (text))',
    'alter table deliveries add column note text null',
    "alter table deliveries add column note text not null default 'none', add column rank int null",
    "alter table deliveries add column note text default 'none' not null",
    'alter table deliveries add column seen_at timestamptz(3) not null default now()',
    'create index integrations_name_index on integrations (name)',
    'update deliveries set note = $$a$$ where id in (select id from deliveries where note is null limit 500)',
    'alter table deliveries set (fillfactor = 80)',
  ])('may extend the schema: %s', (statement) => {
    expect(issuesOf([statement])).toEqual([])
  })

  it('may add a column with a unique index, because the column is null in the rows of an earlier release', () => {
    const concurrently = [
      'drop index concurrently if exists flows_key_unique',
      'create unique index concurrently flows_key_unique on flows (project_id, key)',
    ]
    const index = 'create unique index integrations_key_unique on integrations (user_id, key)'
    expect(issuesOf(['alter table flows add column if not exists key text', ...concurrently], { transactional: false })).toEqual([])
    expect(issuesOf(['alter table integrations add column key text', index])).toEqual([])
    expect(issuesOf(["alter table integrations add column key text not null default ''", index])).toHaveLength(1)
    expect(issuesOf(['alter table projects add column key text', index])).toHaveLength(1)
  })

  it.each([
    'drop table destinations',
    'alter table deliveries drop column target',
    'alter table deliveries alter column target drop not null',
    'drop type kind',
    'drop index flows_project_id_id_index',
    'alter table contents rename to message_bodies',
    'alter table deliveries\n  rename column target to receiver',
    'alter table deliveries alter column target type varchar(10)',
    'alter table deliveries alter target set not null',
    'alter table deliveries add column note text not null',
    'alter table deliveries add note text not null',
    "alter table deliveries add column a text not null, add column b text not null default 'x'",
    "alter table deliveries add column a text not null default 'x', add column b text not null",
    'alter table deliveries add constraint deliveries_unique unique (target)',
    'create unique index integrations_name_unique on integrations (name)',
  ])('must name an earlier migration in `requires` if it narrows the schema: %s', (statement) => {
    expect(issuesOf([statement])).toHaveLength(1)
    expect(issuesOf([statement], { requires: '1' })).toEqual([])
    expect(issuesOf([statement], { requires: '2' })).toEqual(['requires 2, which is not an earlier migration'])
    expect(issuesOf([statement], { requires: '3' })).toHaveLength(1)
  })

  it.each([
    'create index deliveries_target_index on deliveries (target)',
    'create index flows_target_index on flows (target)',
    'lock table deliveries in access exclusive mode',
    'alter table deliveries add column code uuid not null default gen_random_uuid()',
    "update deliveries set note = 'none'",
    'delete from attempts where outcome is null',
  ])('must not hold up messages: %s', (statement) => {
    expect(issuesOf([statement])).toHaveLength(1)
    expect(issuesOf([statement], { requires: '1' })).toHaveLength(1)
  })

  it('must not lock two large tables in one transaction', () => {
    const statements = ['alter table deliveries add column note text', 'alter table attempts add column note text'] as const
    expect(issuesOf(statements)).toEqual([
      'locks deliveries and attempts: messages wait for one while it waits for the other; write a migration for each',
    ])
    expect(issuesOf([statements[0], 'alter table deliveries add column rank int', 'alter table flows add column note text'])).toEqual([])
    expect(issuesOf(statements, { transactional: false })).toEqual([])
  })

  it('must create an index on a large table concurrently, and drop an incomplete index first', () => {
    const [drop, create] = ['drop index concurrently if exists a', 'create index concurrently a on deliveries (target)'] as const
    expect(issuesOf([drop, create], { transactional: false })).toEqual([])
    expect(issuesOf([drop, create])).toEqual([`${create}: needs \`transactional: false\``])
    expect(issuesOf([create], { transactional: false })).toEqual([`${create}: must follow \`${drop}\``])
    expect(issuesOf(['create table t (id int)', 'create index t_id_index on t (id)'])).toEqual([])
  })
})
