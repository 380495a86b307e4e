import { FolderDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { download } from '#lib/download.ts'
import { logFailure } from '#lib/log.ts'
import { product } from '#lib/messages.ts'
import { photos as text } from '#lib/messages-later.ts'
import { notify } from '#lib/notify.ts'
import { allPhotos } from './api.ts'
import { crc32, type ZipFile, zip } from './zip.ts'

/** Characters that some system forbids in file names. */
const FORBIDDEN = /[\p{Cc}\\/:*?"<>|]+/gu

async function collect(): Promise<ZipFile[]> {
  const files: ZipFile[] = []
  for (const { address, fecha, titulo, creado_en } of await allPhotos()) {
    const answer = await fetch(address)
    if (!answer.ok) throw new Error(`photo: ${answer.status}`)
    const content = await answer.blob()
    const title = (titulo ?? '').replace(FORBIDDEN, ' ').trim().slice(0, 80)
    const kind = content.type === 'image/jpeg' ? 'jpg' : 'webp'
    const name = [fecha ?? creado_en.slice(0, 10), title, files.length + 1].join(' ')
    const crc = crc32(new Uint8Array(await content.arrayBuffer()))
    files.push({ name: `${name}.${kind}`, content, crc, at: new Date(creado_en) })
  }
  return files
}

/** Every photo that this person may see, as one file. */
export default function SavePhotos() {
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const files = await collect()
      if (files.length === 0) notify.info(text.noneToSave)
      else download('recuerdos.zip', 'application/zip', zip(files))
    } catch (error) {
      logFailure('photos', error)
      notify.error(product.notLoaded)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={<FolderDown />} busy={busy} onClick={() => void save()}>
      {text.everything}
    </Button>
  )
}
