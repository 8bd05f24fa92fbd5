// Builds `dist` in `@flowpost/server`. This is the build script of that package.
import { resolve } from 'node:path'
import { bundleServerPackage } from './bundle/server-bundle.ts'

await bundleServerPackage(resolve('dist'))
