import { expect, it } from 'vitest'
import { toLibpq } from './postgres-tools.ts'

it.each([
  ['postgres://a:p%40ss@db/flowpost', 'postgres://a@db/flowpost', { PGPASSWORD: 'p@ss' }],
  ['postgres://a@db/flowpost?sslmode=no-verify', 'postgres://a@db/flowpost?sslmode=require', {}],
  ['postgres://a@db/flowpost?uselibpqcompat=true&sslmode=verify-full', 'postgres://a@db/flowpost?sslmode=verify-full', {}],
])("passes %s to PostgreSQL's client programs without its password", (given, url, env) => {
  expect(toLibpq(given)).toEqual({ url, env })
})
