import { describe, expect, it } from 'vitest'
import { readKeysCall } from './keys-arguments.ts'

describe('readKeysCall', () => {
  it('parses create with repeated and comma-separated scopes', () => {
    const call = readKeysCall([
      'create',
      ...['--user', 'alice', '--scope', 'settings:read', '--scope=settings:write,keys:write', '--name', 'ci'],
      ...['--project', 'prj_1', '--expires', '2027-01-01T00:00:00Z'],
    ])

    expect(call).toEqual({
      command: 'keys.create',
      input: {
        user: 'alice',
        scopes: ['settings:read', 'settings:write', 'keys:write'],
        mode: 'live',
        name: 'ci',
        project: 'prj_1',
        expires: '2027-01-01T00:00:00Z',
      },
      json: false,
    })
  })

  it.each([
    [
      ['create', '--user', 'bob', '--scope', 'keys:write', '--test'],
      { command: 'keys.create', input: { user: 'bob', scopes: ['keys:write'], mode: 'test' }, json: false },
    ],
    [['list'], { command: 'keys.list', input: {}, json: false }],
    [['list', '--user', 'bob', '--json'], { command: 'keys.list', input: { user: 'bob' }, json: true }],
    [['revoke', 'key_1'], { command: 'keys.revoke', input: { id: 'key_1' }, json: false }],
  ])('parses %j', (args, expected) => {
    expect(readKeysCall(args)).toEqual(expected)
  })

  it.each([[['--help']], [['-h']], [['help']], [['create', '--help']]])('returns help for %j', (args) => {
    expect(readKeysCall(args)).toEqual({ help: true })
  })

  it.each([
    [[], 'Name a command: create, list or revoke'],
    [['remove'], 'Unknown command remove. The commands are create, list and revoke'],
    [['toString'], 'Unknown command toString. The commands are create, list and revoke'],
    [['create', '--scope', 'settings:read'], 'create needs --user'],
    [['create', 'alice', '--user', 'x'], 'create does not accept "alice"'],
    [['list', '--scope', 'settings:read'], 'list does not accept --scope'],
    [['revoke'], 'revoke needs the id of one key, such as key_01jdv3k2m8f6wbn0q4z5t7x9ya'],
    [['revoke', 'key_1', 'key_2'], 'revoke needs the id of one key, such as key_01jdv3k2m8f6wbn0q4z5t7x9ya'],
    [['list', '--usr', 'x'], "Unknown option '--usr'"],
  ])('reports the issue with %j', (args, issue) => {
    expect(readKeysCall(args)).toEqual({ issue })
  })
})
