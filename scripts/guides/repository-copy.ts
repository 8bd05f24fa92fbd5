import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../packages/published.ts'

/** Creates a bare Git repository with the current files of this repository as its only commit. Returns its path. */
export const copyRepository = (folder: string): string => {
  const copy = join(folder, 'flowpost.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', copy])
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', copy, '--work-tree', root, ...args], { cwd: root, stdio: 'pipe' })
  git('add', '--all')
  const author = ['-c', 'user.name=Flowpost', '-c', 'user.email=flowpost@example.com', '-c', 'commit.gpgSign=false']
  git(...author, 'commit', '--quiet', '--message', 'Current files')
  return copy
}
