import { describe, expect, it } from 'vitest'
import { readKeysCall } from './keys-arguments.ts'

describe('the command line of keys', () => {
  it('reads what create is given, scopes again and again or comma-separated', () => {
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
        name: 'ci',
        project: 'prj_1',
        expires: '2027-01-01T00:00:00Z',
      },
      json: false,
    })
  })

  it.each([
    [['list'], { command: 'keys.list', input: {}, json: false }],
    [['list', '--user', 'bob', '--json'], { command: 'keys.list', input: { user: 'bob' }, json: true }],
    [['revoke', 'key_1'], { command: 'keys.revoke', input: { id: 'key_1' }, json: false }],
  ])('reads %j', (args, expected) => {
    expect(readKeysCall(args)).toEqual(expected)
  })

  it.each([[['--help']], [['-h']], [['help']], [['create', '--help']]])('shows help for %j', (args) => {
    expect(readKeysCall(args)).toEqual({ help: true })
  })

  it.each([
    [[], 'A command is missing: create, list or revoke'],
    [['remove'], 'There is no command remove; there are create, list and revoke'],
    [['toString'], 'There is no command toString; there are create, list and revoke'],
    [['create', '--scope', 'settings:read'], 'create needs --user'],
    [['create', 'alice', '--user', 'x'], 'create does not take "alice"'],
    [['list', '--scope', 'settings:read'], 'list takes no --scope'],
    [['revoke'], 'revoke takes the id of one key, as in key_01jdv3k2m8f6wbn0q4z5t7x9ya'],
    [['revoke', 'key_1', 'key_2'], 'revoke takes the id of one key, as in key_01jdv3k2m8f6wbn0q4z5t7x9ya'],
    [['list', '--usr', 'x'], "Unknown option '--usr'"],
  ])('says what is wrong with %j', (args, fault) => {
    expect(readKeysCall(args)).toEqual({ fault })
  })
})
