import { expect, it } from 'vitest'
import { undoStatement } from './undo-migrations.ts'

it.each([
  ['create table events (\n  id uuid not null\n)', 'drop table events cascade'],
  ['create unique index concurrently flows_key_unique on flows (key)', 'drop index if exists flows_key_unique'],
  ['alter table flows add column if not exists key text', 'alter table flows drop column key'],
  ['alter table flows add column a text null,\n add column b int', 'alter table flows drop column a, drop column b'],
  ['alter table flows set (fillfactor = 70)', undefined],
  ['drop index concurrently if exists flows_key_unique', undefined],
  ['insert into settings_history_start (at) values (clock_timestamp())', undefined],
])('returns the statement that removes what %j has added, if any', (statement, undo) => {
  expect(undoStatement(statement)).toBe(undo)
})
