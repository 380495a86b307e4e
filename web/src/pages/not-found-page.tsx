import { Page } from '#components/page.tsx'
import { notFound } from '#lib/messages.ts'
import { paths } from '#lib/paths.ts'
import styles from './not-found-page.module.css'

export function NotFoundPage() {
  return (
    <Page title="404" className={styles.page}>
      <p className={styles.code} aria-hidden="true">
        4<span />4
      </p>
      <h1 lang="en" className={styles.text}>
        {notFound.text}
      </h1>
      <a href={paths.landing}>{notFound.home}</a>
    </Page>
  )
}
